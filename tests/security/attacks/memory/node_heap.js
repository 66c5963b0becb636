// attack: objects on the JavaScript heap without end
// expect: outcome=memory_limit|program_failed
// limits: wall_ms=15000 cpu_ms=15000
const hoard = [];
for (let i = 0; ; i++) hoard.push({ i, text: 'x' + i });
