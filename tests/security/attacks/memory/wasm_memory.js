// attack: grows a WebAssembly memory page by page and touches it
// expect: outcome=memory_limit
const memory = new WebAssembly.Memory({ initial: 1, maximum: 65536 });
for (;;) {
  memory.grow(64);
  new Uint8Array(memory.buffer).fill(1, memory.buffer.byteLength - 64 * 65536);
}
