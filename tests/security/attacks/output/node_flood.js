// attack: prints for ever from an event loop, faster than anyone reads
// expect: outcome=output_limit
// limits: output_bytes=65536
for (;;) console.log('x'.repeat(1000));
