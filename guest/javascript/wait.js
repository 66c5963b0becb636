// A runtime that is loaded and sealed and waits for its one program (node --require preload.js wait.js).
//
// Says one byte on descriptor 3 when it is ready, 'k' if a keeper holds its memory (ending.c) and 'r' if not, then
// reads its orders there until the end: fields that end in NUL, "script" or "solve", the number of arguments, the
// arguments, then NAME=value each.
'use strict';
const fs = require('fs');
const Module = require('module');

const kChannel = 3;
const kProgram = '/glovebox/main.js';
const kWrites = ['writeLatin1String', 'writeUtf8String', 'writeBuffer', 'writev'];

// Node compiles its own functions when they are first called. A rehearsal calls those that nearly every program needs,
// before the program is known: loading a module, printing. Nothing is printed, and nothing of it stays to be seen.
function rehearse() {
  const handles = [process.stdout, process.stderr].map((stream) => stream._handle);
  if (handles.includes(undefined)) return; // not the pipes of a cell
  for (const handle of handles) for (const name of kWrites) handle[name] = () => 0;
  const rehearsal = __dirname + '/rehearsal.js';
  Module._load(rehearsal, null, false);
  for (const handle of handles) for (const name of [...kWrites].reverse()) delete handle[name];
  forget(rehearsal);
}

function forget(file) {
  delete require.cache[file];
  for (const key of Object.keys(Module._pathCache)) if (key.startsWith(file)) delete Module._pathCache[key];
}

function prepareEnding() {
  try {
    const ending = { exports: {} };
    process.dlopen(ending, __dirname + '/ending.node');
    require.cache[__dirname + '/preload.js'].exports.leaveBy(ending.exports.leave);
    return ending.exports.keep();
  } catch {
    return false; // this Node cannot load it, and ends the slow way
  }
}

function obey() {
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
  forget(__filename);
  // From a fresh stack, so that no frame of this file shows up in the program's errors.
  process.nextTick(Module.runMain, process.argv[1]);
}

rehearse();
process.nextTick(() => { // when the writes of the rehearsal are through
  fs.writeSync(kChannel, prepareEnding() ? 'k' : 'r');
  obey();
});
