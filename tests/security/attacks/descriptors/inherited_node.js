// attack: looks for sockets and directories of the host among the descriptors of a warm Node
// expect: outcome=ok
// expect-stdout: BLOCKED
// forbid-stdout: ESCAPED
const fs = require('fs');
const odd = [];
for (let number = 0; number < 1024; number++) {
  let target;
  try {
    target = fs.readlinkSync(`/proc/self/fd/${number}`);
  } catch {
    continue;
  }
  // Node's own: its polling and event descriptors, and pipes to itself. The streams may be pipes or sockets.
  if (/^anon_inode:/.test(target) || /^pipe:/.test(target) || target === '/dev/null' || number < 3) continue;
  if (target.startsWith('/glovebox/')) continue;
  odd.push(`${number}: ${target}`);
}
console.log(odd.length ? 'ESCAPED' : 'BLOCKED', odd.join('; '));
