// attack: connects outside from Node
// expect: outcome=ok
// expect-stdout: BLOCKED
// forbid-stdout: ESCAPED
// expect-denial: socket(AF_INET
const socket = require('net').connect(80, '192.0.2.1');
socket.setTimeout(1000);
socket.on('connect', () => console.log('ESCAPED'));
socket.on('error', (error) => console.log(error.code === 'EPERM' ? 'BLOCKED' : `UNCLEAR ${error.code}`));
