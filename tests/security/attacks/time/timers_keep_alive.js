// attack: an event loop that never runs dry
// expect: outcome=timeout
// limits: wall_ms=1000
setInterval(() => {}, 1);
