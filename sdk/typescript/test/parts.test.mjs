// What needs no server: what the client sends, and what it makes of hostile answers.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  ApiError,
  Artifact,
  Client,
  ConnectionFailed,
  EventDecoder,
  InvalidReply,
  QuotaExceeded,
  Unavailable,
} from "../dist/index.js";
import { filesFrom, progressBar, saveArtifact } from "../dist/node.js";

const events =
  'event: state\ndata: {"state":"läuft"}\n\n: keep-alive\n\nevent: stdout\ndata: a\ndata: b\n\ndata: x\n\n';
const decoded = [
  { name: "state", data: '{"state":"läuft"}' },
  { name: "stdout", data: "a\nb" },
  { name: "message", data: "x" },
];

test("events are the same however they are cut", () => {
  for (const text of [events, events.replaceAll("\n", "\r\n")]) {
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const decoder = new EventDecoder(1000);
      const found = [];
      for (let begin = 0; begin < bytes.length; begin += size) {
        found.push(...decoder.feed(bytes.subarray(begin, begin + size)));
      }
      assert.deepEqual(found, decoded);
    }
  }
});

test("events are bounded", () => {
  const decoder = new EventDecoder(1000);
  const line = new TextEncoder().encode("data: 0123456789\n");
  assert.throws(() => {
    for (let n = 0; n < 200; n++) decoder.feed(line);
  }, InvalidReply);
  assert.throws(() => new EventDecoder(1000).feed(new Uint8Array(1001).fill(120)), InvalidReply);
});

/** A client whose fetch records what it was asked and gives the answers in turn. */
function scripted(answers, options = {}) {
  const asked = [];
  const client = new Client({
    baseUrl: "http://box.example/prefix/",
    fetch: async (url, init) => {
      asked.push({ url, ...init, json: typeof init.body === "string" ? JSON.parse(init.body) : undefined });
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer();
    },
    ...options,
  });
  return { client, asked };
}

const json = (value, status = 200, headers = {}) => () => new Response(JSON.stringify(value), { status, headers });
const problem = { status: 429, code: "quota_exceeded", detail: "slow" };

test("a request says only what was said", async () => {
  const { client, asked } = scripted([json(problem, 400)], { retries: 0, apiKey: "gbk_secret" });
  const files = { t: "text", b: new Uint8Array([255]), r: { sha256: "ab" } };
  await assert.rejects(client.run("x", { files, network: ["h:1"], input: null, task: "t" }), ApiError);
  assert.equal(asked[0].url, "http://box.example/prefix/v1/runs");
  assert.equal(asked[0].headers.Authorization, "Bearer gbk_secret");
  assert.equal(asked[0].headers["Glovebox-Task"], "t");
  assert.deepEqual(asked[0].json, {
    code: "x",
    input: null,
    network: { allow: ["h:1"] },
    files: [
      { path: "t", content: "text" },
      { path: "b", content: "/w==", encoding: "base64" },
      { path: "r", blob: "sha256:ab" },
    ],
  });
});

test("a large file is sent once, under its hash", async () => {
  const big = new Uint8Array((1 << 20) + 1);
  const digest = createHash("sha256").update(big).digest("hex");
  const answers = [json({}, 404), json({}, 201), json({}, 500)];
  const { client, asked } = scripted(answers);
  await assert.rejects(client.run("x", { files: { "a.bin": big, "b.bin": new Blob([big]) } }), ApiError);
  assert.deepEqual(asked.map((call) => call.method), ["HEAD", "PUT", "POST"]);
  assert.equal(asked[1].url, `http://box.example/prefix/v1/blobs/${digest}`);
});

test("a refusal that asks for patience is tried again with the same key", async () => {
  const busy = json(problem, 429, { "Retry-After": "0" });
  const { client, asked } = scripted([busy, new TypeError("fetch failed"), json({}, 500)]);
  await assert.rejects(client.run("x"), (error) => error instanceof ApiError && error.status === 500);
  assert.equal(asked.length, 3);
  assert.equal(new Set(asked.map((call) => call.json.idempotency_key)).size, 1);
});

test("without retries there is one try and no key", async () => {
  const { client, asked } = scripted([json(problem, 429, { "Retry-After": "7" })], { retries: 0 });
  await assert.rejects(client.run("x"), (error) => error instanceof QuotaExceeded && error.retryAfter === 7);
  assert.equal(asked[0].json.idempotency_key, undefined);
});

test("what waiting does not help is not tried again", async () => {
  const tooLong = json(problem, 503, { "Retry-After": "600" });
  for (const answer of [json(problem, 429), tooLong, json({}, 500, { "Retry-After": "0" })]) {
    const { client, asked } = scripted([answer]);
    await assert.rejects(client.run("x"), ApiError);
    assert.equal(asked.length, 1);
  }
});

test("a model has no say about grants", async () => {
  const { client, asked } = scripted([]);
  for (const hostile of [{ code: "x", network: { allow: ["h:1"] } }, { limits: {} }, "[]", "null"]) {
    await assert.rejects(client.runTool(hostile), TypeError);
  }
  assert.equal(asked.length, 0);
});

test("names that would walk up the path are refused", async () => {
  const { client, asked } = scripted([]);
  for (const name of ["", ".", ".."]) await assert.rejects(client.get(name), TypeError);
  assert.equal(asked.length, 0);
});

test("URLs that make no sense are refused", () => {
  for (const baseUrl of ["ftp://x", "unix:///run/x.sock", "http://u:p@x", "http://x?k=1", "nonsense"]) {
    assert.throws(() => new Client({ baseUrl }), TypeError);
  }
});

/** A server that answers whatever it is asked with these bytes and hangs up. */
async function answering(bytes, use) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.close();
  }
}

const reply = (status, body, ...headers) =>
  [`HTTP/1.1 ${status}`, `Content-Length: ${body.length}`, "Connection: close", ...headers, "", body].join("\r\n");

const hostile = {
  garbage: ["SSH-2.0-OpenSSH\r\n\r\n", ConnectionFailed],
  nothing: ["", ConnectionFailed],
  "cut in the body": ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", ConnectionFailed],
  "cut in a chunk": ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{", ConnectionFailed],
  "not JSON": [reply("200 OK", "<html>"), InvalidReply],
  "JSON of another kind": [reply("200 OK", "[1]"), InvalidReply],
  "half a result": [reply("200 OK", '{"run_id":"run_1","outcome":"ok"}'), InvalidReply],
  "a proxy's page": [reply("502 Bad Gateway", "<h1>"), ApiError],
  "a redirect": [reply("302 Found", "", "Location: http://127.0.0.1:1/"), ApiError],
  stopped: [reply("503 Service Unavailable", "{}"), Unavailable],
};

for (const [name, [bytes, expected]] of Object.entries(hostile)) {
  test(`an answer that is no good becomes one exception: ${name}`, async () => {
    await answering(bytes, async (baseUrl) => {
      const client = new Client({ baseUrl, retries: 0, timeoutMs: 5000 });
      await assert.rejects(client.run("1"), expected);
    });
  });
}

test("a stream without a result is an exception", async () => {
  const body = 'event: state\ndata: {"state":"running"}\n\n';
  await answering(reply("200 OK", body, "Content-Type: text/event-stream"), async (baseUrl) => {
    const stream = await new Client({ baseUrl, retries: 0 }).stream("1");
    await assert.rejects(async () => {
      for await (const event of stream) assert.equal(event.state, "running");
    }, ConnectionFailed);
  });
});

test("a server that says nothing is given up", async () => {
  const server = createServer((socket) => socket.on("error", () => {}));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new Client({ baseUrl: `http://127.0.0.1:${server.address().port}`, retries: 0, timeoutMs: 100 });
  await assert.rejects(client.health(), ConnectionFailed);
  await assert.rejects(client.run("1", { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  server.close();
});

function artifact(path, content, promised = content) {
  const sha256 = createHash("sha256").update(promised).digest("hex");
  const data = { path, bytes: promised.length, sha256, media_type: "text/plain" };
  return new Artifact(data, async () => Buffer.from(content));
}

test("artifacts stay below the directory, and are what was promised", async (context) => {
  const directory = await mkdtemp(join(tmpdir(), "glovebox-"));
  context.after(() => rm(directory, { recursive: true }));
  const out = join(directory, "out");
  await mkdir(out);
  await symlink(directory, join(out, "link"));
  await symlink(join(directory, "elsewhere"), join(out, "file"));
  for (const path of ["../x", "/etc/x", "a/../../x", "", "a//b", "./a", "a\0b", "link/x", "link/d/x", "file"]) {
    await assert.rejects(saveArtifact(artifact(path, "x"), out), TypeError, path);
  }
  await assert.rejects(saveArtifact(artifact("a", "evil", "good"), out), InvalidReply);
  const saved = await saveArtifact(artifact("a/ü b.txt", "x"), out);
  assert.equal(await readFile(saved, "utf8"), "x");
  assert.deepEqual(Object.keys(await filesFrom(saved)), ["ü b.txt"]);
});

test("the bar is drawn on a terminal only", () => {
  for (const isTTY of [true, false]) {
    let written = "";
    progressBar({ isTTY, write: (text) => (written += text) })({ done: 1, total: 2, ok: 0, failed: 1 });
    assert.equal(written.includes("1/2  1 failed"), isTTY);
  }
});
