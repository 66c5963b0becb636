"""Ordinary JavaScript programs in a cell."""

from __future__ import annotations

import pytest

from support.needs import needs_command


JAVASCRIPT = {
    "fs": (
        """
const fs = require('fs'), os = require('os'), path = require('path');
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'x-'));
fs.writeFileSync(path.join(directory, 'a.txt'), 'Grüße');
fs.promises.readFile(path.join(directory, 'a.txt'), 'utf8').then((text) => {
  fs.rmSync(directory, { recursive: true });
  console.log(text, fs.existsSync(directory), process.cwd());
});
""",
        "Grüße false /work\n",
    ),
    "child_process": (
        """
const { execFileSync, execSync, spawn } = require('child_process');
console.log(execFileSync('tr', ['a-z', 'A-Z'], { input: 'loud' }).toString());
console.log(execSync('expr 6 \\\\* 7').toString().trim());
spawn('sh', ['-c', 'exit 3']).on('exit', (code) => console.log('exit', code));
""",
        "LOUD\n42\nexit 3\n",
    ),
    "worker_threads": (
        """
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
if (isMainThread) {
  const worker = new Worker(__filename, { workerData: 20 });
  worker.on('message', (value) => console.log('from worker', value));
} else {
  parentPort.postMessage(workerData * 2 + 2);
}
""",
        "from worker 42\n",
    ),
    "webassembly": (
        """
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3,
  97, 100, 100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
WebAssembly.instantiate(bytes).then(({ instance }) => console.log(instance.exports.add(40, 2)));
""",
        "42\n",
    ),
    "crypto": (
        """
const crypto = require('crypto');
const hash = crypto.createHash('sha256').update('x').digest('hex').slice(0, 8);
const { publicKey, privateKey } = crypto.generateKeyPairSync('ed25519');
const signed = crypto.verify(null, Buffer.from('m'), publicKey, crypto.sign(null, Buffer.from('m'), privateKey));
crypto.scrypt('p', 's', 16, (error, key) => console.log(hash, signed, key.length, crypto.randomBytes(4).length));
""",
        "2d711642 true 16 4\n",
    ),
    "streams": (
        """
const { pipeline, Readable, Transform } = require('stream'), zlib = require('zlib'), fs = require('fs');
const shout = new Transform({ transform(chunk, _, next) { next(null, chunk.toString().toUpperCase()); } });
pipeline(Readable.from(['a', 'b', 'c']), shout, zlib.createGzip(), fs.createWriteStream('o.gz'), (error) => {
  console.log(error, zlib.gunzipSync(fs.readFileSync('o.gz')).toString());
});
""",
        "undefined ABC\n",
    ),
    "timers_and_promises": (
        """
const order = [];
setTimeout(() => order.push('timeout'), 300);
setImmediate(() => order.push('immediate'));
process.nextTick(() => order.push('tick'));
Promise.resolve().then(() => order.push('promise'));
setTimeout(() => console.log(order.join(' ')), 600);
""",
        "tick promise immediate timeout\n",
    ),
    "local_sockets": (
        """
const net = require('net');
const server = net.createServer((socket) => socket.end('hello')).listen('/tmp/node.sock', () => {
  net.connect('/tmp/node.sock').on('data', (data) => { console.log(data.toString()); server.close(); });
});
""",
        "hello\n",
    ),
    "stdin_and_arguments": (
        """
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => console.log(process.argv.slice(2), text.trim()));
""",
        "[ 'one', 'two words' ] piped in\n",
    ),
    "large_output_then_exit": (
        "console.log('x'.repeat(500000)); process.exit(0);\n",
        "x" * 500_000 + "\n",
    ),
    "internationalisation": (
        "console.log(new Intl.NumberFormat('de-DE').format(1234567.5), 'ä'.localeCompare('z', 'de') < 0);\n",
        "1.234.567,5 true\n",
    ),
}


@needs_command("node")
@pytest.mark.parametrize("name", JAVASCRIPT)
def test_javascript_works_with(run_well, name):
    code, expected = JAVASCRIPT[name]
    fields = {"args": ["one", "two words"], "stdin": "piped in\n"} if name == "stdin_and_arguments" else {}
    stdout, _ = run_well("javascript", code, **fields)
    assert stdout == expected
