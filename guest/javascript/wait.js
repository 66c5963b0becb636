// A runtime that is loaded and sealed and waits for its one program (node --require preload.js wait.js).
//
// Says one byte on descriptor 3 when it is ready, then reads its orders there until the end: fields that end in NUL,
// "script" or "solve", the number of arguments, the arguments, then NAME=value each.
'use strict';
const fs = require('fs');
const Module = require('module');

const kChannel = 3;
const kProgram = '/glovebox/main.js';

// What nearly every program touches is made before its program is known.
process.stdout.write('');
process.stderr.write('');
void console.log;
void Module._nodeModulePaths('/glovebox');

fs.writeSync(kChannel, 'r');
const orders = fs.readFileSync(kChannel, 'utf8');
fs.closeSync(kChannel);
const fields = orders.split('\0');
if (fields.length < 3) process.exit(0); // whoever wanted a program to run has gone
const count = Number(fields[1]);
const args = fields.slice(2, 2 + count);
for (const variable of fields.slice(2 + count, -1)) {
  const equals = variable.indexOf('=');
  process.env[variable.slice(0, equals)] = variable.slice(equals + 1);
}
const solve = ['/glovebox/support/solve.js', kProgram, '/glovebox/input.json', '/tmp/.glovebox-value.json'];
process.argv.splice(1, process.argv.length - 1, ...(fields[0] === 'solve' ? solve : [kProgram]), ...args);
delete require.cache[__filename];
// From a fresh stack, so that no frame of this file shows up in the program's errors.
process.nextTick(Module.runMain, process.argv[1]);
