// attack: makes the process that keeps Node's memory change an artifact all the time, also after the program's end
// expect: outcome=ok
// expect-stdout: BLOCKED
// artifacts: late.txt
// expect-artifacts: late.txt
// runs: 3
// needs: gcc
const { takeOver } = require('./keeper');
takeOver(`
  const long file = call(SYS_open, (long)"/work/late.txt", O_CREAT | O_RDWR | O_TRUNC, 0644);
  static char text[4096];
  for (unsigned turn = 0; file >= 0; ++turn) {
    memset(text, 'a' + turn % 26, sizeof text);
    call(SYS_ftruncate, file, 4096 + turn % 4096, 0);
    call(SYS_lseek, file, 0, 0);
    call(SYS_write, file, (long)text, sizeof text);
    done = 1;
  }
`);
console.log('BLOCKED if what was saved is what was listed');
