// attack: child processes that start child processes, from Node
// expect: outcome=process_limit
const { spawn } = require('child_process');
setInterval(() => {
  for (let i = 0; i < 16; i++) spawn('/bin/sleep', ['600']).on('error', () => {});
}, 5);
