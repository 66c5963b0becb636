// attack: makes the process that keeps Node's memory have children that never end, and leaves
// expect: outcome=ok|process_limit
// expect-stdout: BLOCKED
// runs: 3
// needs: gcc
const fs = require('fs');
const { takeOver } = require('./keeper');
// First, and at once: the limit of processes may end the cell before anything else is printed.
fs.writeSync(1, 'BLOCKED if nobody is found afterwards\n');
takeOver(`
  for (int child = 0; child < 6; ++child)
    if (call(SYS_fork, 0, 0, 0) == 0) {
      call(SYS_setsid, 0, 0, 0);
      while (1) call(SYS_sched_yield, 0, 0, 0);
    }
  done = 1;
  while (1) if (call(SYS_fork, 0, 0, 0) == 0) call(SYS_exit_group, 0, 0, 0);
`);
