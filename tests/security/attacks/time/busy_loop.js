// attack: burns CPU time for ever and never returns to the event loop
// expect: outcome=cpu_limit
// limits: cpu_ms=1000 wall_ms=10000
for (;;);
