// attack: looks for the channel through which a waiting Node was told what to run
// expect: outcome=ok
// expect-stdout: BLOCKED
const fs = require('fs');
const found = fs.readdirSync('/proc/self/fd').map(Number).filter((number) => {
  try {
    return fs.fstatSync(number).isSocket();
  } catch {
    return false;
  }
});
const handles = process._getActiveHandles().filter((handle) => handle.fd > 2);
console.log(found.length + handles.length > 0 ? 'ESCAPED ' + found : 'BLOCKED no socket');
