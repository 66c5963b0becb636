// attack: buffers outside the JavaScript heap, which no heap limit counts
// expect: outcome=memory_limit
const hoard = [];
for (;;) hoard.push(Buffer.alloc(4 << 20, 1));
