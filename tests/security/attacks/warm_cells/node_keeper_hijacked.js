// attack: stops the process that keeps Node's memory, overwrites the code that it sleeps in, and continues it
// expect: outcome=ok|denied
// expect-stdout: BLOCKED
// expect-denial: unshare
// needs: gcc
//
// It then runs what the program wants, which the program can have without it too. It must not be able to do more.
const { takeOver } = require('./keeper');
const answers = takeOver(`
  answers[0] = call(SYS_unshare, CLONE_NEWUSER, 0, 0);
  answers[1] = call(SYS_socket, 2, 1, 0);
  answers[2] = call(SYS_ptrace, 16, 1, 0);
  answers[3] = call(SYS_open, (long)"/glovebox/main.js", O_WRONLY, 0);
  done = 1;
`);
console.log(answers.some((answer) => answer >= 0) ? 'ESCAPED' : 'BLOCKED', answers);
