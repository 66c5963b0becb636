// attack: kills the process that keeps Node's memory, names another one to the first process, and leaves children
// expect: outcome=ok
// expect-stdout: BLOCKED
// needs: node
const { spawn } = require('child_process');
const { find } = require('./keeper');
const keeper = find();
if (keeper > 0) process.kill(keeper, 'SIGKILL');
const kDeaf = 'kill -USR1 1; trap "" HUP INT TERM; while :; do sleep 60; done';
for (let turn = 0; turn < 3; ++turn) spawn('sh', ['-c', kDeaf], { detached: true, stdio: 'ignore' }).unref();
process.kill(1, 'SIGUSR1');
setTimeout(() => console.log('BLOCKED', find() === 0 ? 'nobody keeps it now' : 'it lives'), 100);
