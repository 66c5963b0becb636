// Runs before every Node program in a cell (node --require).
'use strict';

// Standard output is a pipe. Node writes to it without blocking, and process.exit() right after a large
// console.log() would lose what the pipe has not taken yet. Blocking writes lose nothing. The streams are made on
// first use, so a program that prints nothing pays nothing.
for (const name of ['stdout', 'stderr']) {
  const property = Object.getOwnPropertyDescriptor(process, name);
  if (!property || !property.get || !property.configurable) continue;
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get() {
      const stream = property.get.call(process);
      try {
        if (stream._handle && stream._handle.setBlocking) stream._handle.setBlocking(true);
      } catch {
        // A stream without a handle writes synchronously anyway.
      }
      Object.defineProperty(process, name, { ...property, get: () => stream });
      return stream;
    },
  });
}

// A program whose event loop has run dry is over. Node would go on to take its heap apart, for a millisecond and to
// nobody's use; process.exit() spares itself that, and so do we, where nobody listens who could tell the difference. A
// program may emit these events by itself: what counts is that Node says that it is exiting.
let leave = process.reallyExit;
const reallyExit = process.reallyExit;
function leaveAtOnce(status) {
  const alone = process.listenerCount('exit') === 1;
  if (process._exiting && alone && process.reallyExit === reallyExit) leave.call(process, status);
}
const inWorker = process.abort.disabled === true; // a worker thread has another end, and has this file too
if (!inWorker) {
  process.on('beforeExit', () => {
    if (process.listenerCount('exit') === 0) process.on('exit', leaveAtOnce);
  });
}
// For a runtime that knows a quicker way.
exports.leaveBy = (way) => {
  leave = way;
};

// A cell shows neither /proc/cpuinfo nor network interfaces. Node answers with an empty list or an exception, on
// which common packages stumble while they load.
const os = require('os');
const cpus = os.cpus;
os.cpus = function () {
  const found = cpus();
  if (found.length > 0) return found;
  const count = os.availableParallelism ? os.availableParallelism() : 1;
  return Array.from({ length: count }, () => (
    { model: 'unknown', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }));
};
const networkInterfaces = os.networkInterfaces;
os.networkInterfaces = function () {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
};

// The program lies in /glovebox and its files in /work: './helper' of the program means a file beside its data.
const Module = require('module');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  const from_program = parent && typeof parent.filename === 'string' && parent.filename.startsWith('/glovebox/main.');
  if (from_program && (request.startsWith('./') || request.startsWith('../'))) {
    try {
      return resolve.call(this, require('path').resolve('/work', request), parent, ...rest);
    } catch {
      // Not there either: let Node tell it in its own words.
    }
  }
  return resolve.call(this, request, parent, ...rest);
};
