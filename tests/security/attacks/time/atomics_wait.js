// attack: blocks the main thread on a futex that nobody wakes
// expect: outcome=timeout
// limits: wall_ms=1000
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
