// The client against a live server, whose URL is in GLOVEBOX_URL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Client, NotFound, RunFailed, Unavailable } from "../dist/index.js";

const live = process.env.GLOVEBOX_URL ? {} : { skip: "GLOVEBOX_URL is not set: there is no server to test against" };
const client = live.skip ? undefined : new Client();
const forever = "import time\nprint('begun', flush=True)\ntime.sleep(600)";
const long = { wall_ms: 30_000 };

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

test("runs a program with every kind of input", live, async () => {
  const code = "import os, sys\nprint(sys.argv[1:], sys.stdin.read(), os.environ['K'], open('d/ä.txt').read())";
  const files = { "d/ä.txt": "text", b: new Uint8Array([0, 255]) };
  const result = await client.run(code, { args: ["x"], stdin: "in", env: { K: "v" }, files });
  assert.equal(result.stdout, "['x'] in v text\n", result.stderr);
  assert.equal(result.raiseForOutcome(), result);
});

test("a failing program is a result", live, async () => {
  const result = await client.run("x = 1\nraise KeyError('k')");
  assert.equal(result.outcome, "program_failed");
  assert.deepEqual([result.error.code, result.error.type, result.error.line], ["runtime_error", "KeyError", 2]);
  assert.throws(() => result.raiseForOutcome(), (error) => error instanceof RunFailed && error.result === result);
});

test("a refusal names the field", live, async () => {
  await assert.rejects(client.run("1", { limits: { wall_ms: "soon" } }), (error) => {
    return error instanceof ApiError && error.status === 400 && error.problem.field === "limits.wall_ms";
  });
  await assert.rejects(client.run("1", { language: "cobol" }), { status: 422, code: "unsupported" });
});

test("twice with one key is once", live, async () => {
  const options = { idempotency_key: `ts-${Date.now()}-${Math.random()}`, cache: "off" };
  const code = "import time\nprint(time.time_ns())";
  const [first, second] = [await client.run(code, options), await client.run(code, options)];
  assert.equal(first.stdout, second.stdout);
});

test("large files travel as blobs", live, async () => {
  const data = new Uint8Array(2 << 20).map((_, index) => index * 7);
  data.set(new TextEncoder().encode(String(Math.random())));
  const digest = await client.upload(data);
  const code = "import hashlib\nprint(hashlib.sha256(open('big', 'rb').read()).hexdigest())";
  for (const big of [data, new Blob([data]), { sha256: digest }]) {
    assert.equal((await client.run(code, { files: { big } })).stdout, `${digest}\n`);
  }
  assert.deepEqual(await client.download(digest), data);
  await assert.rejects(client.run("1", { files: { x: { sha256: "0".repeat(64) } } }), { code: "blob_missing" });
});

test("artifacts are read", live, async () => {
  const code = "import os\nos.makedirs('out/ü')\nopen('out/ü/a b%.txt', 'wb').write(b'\\x01' * 300000)";
  const result = await client.run(code, { artifacts: ["out/**"] });
  const bytes = await result.artifact("out/ü/a b%.txt").read();
  assert.ok(bytes.length === 300000 && bytes.every((byte) => byte === 1));
  assert.equal(result.artifact("no.txt"), undefined);
});

test("a stream ends with the same result", live, async () => {
  const stream = await client.stream("import sys\nprint('out')\nprint('err', file=sys.stderr)");
  const events = await collect(stream);
  const text = (type) => events.filter((event) => event.type === type).map((event) => event.text).join("");
  assert.deepEqual([text("stdout"), text("stderr")], ["out\n", "err\n"]);
  assert.ok(events.some((event) => event.type === "state"));
  assert.equal(events.at(-1).result, stream.result);
  assert.equal(stream.result.stdout, "out\n");
});

test("a stream brings output while the program runs, and can cancel it", live, async () => {
  const stream = await client.stream({ code: forever, limits: long });
  for await (const event of stream) {
    if (event.type === "stdout") {
      assert.equal(event.text, "begun\n");
      await stream.cancel();
    }
  }
  assert.equal(stream.result.outcome, "cancelled");
  assert.equal(stream.result.stdout, "begun\n");
});

test("a stream that is left cancels the run", live, async () => {
  const stream = await client.stream({ code: forever, limits: long });
  for await (const event of stream) if (event) break;
  const record = await client.wait(stream.runId, { timeoutMs: 20_000 });
  assert.equal(record.result.outcome, "cancelled");
});

test("submit, wait and cancel", live, async () => {
  const record = await client.wait(await client.submit("print(1)"));
  assert.equal(record.result.stdout, "1\n");
  const runId = await client.submit({ code: forever, limits: long });
  await assert.rejects(client.wait(runId, { timeoutMs: 100 }), /still running/);
  await client.cancel(runId);
  assert.equal((await client.wait(runId)).result.outcome, "cancelled");
  await assert.rejects(client.cancel(runId), { status: 409 });
});

test("batches keep their order, with and without progress", live, async () => {
  const requests = ["print(0)", { code: "console.log(1)", language: "javascript" }, "1/0"];
  const reports = [];
  for (const options of [{}, { onProgress: (progress) => reports.push(progress), concurrency: 2 }]) {
    const batch = await client.batch(requests, options);
    assert.deepEqual(batch.results.map((result) => result.stdout), ["0\n", "1\n", ""]);
    assert.deepEqual([batch.ok, batch.failed], [2, 1]);
  }
  assert.deepEqual([reports.at(-1).done, reports.at(-1).total], [3, 3]);
  await assert.rejects(client.batch(["1", { code: 5 }]), { status: 400 });
  await assert.rejects(client.batch(new Array(10_001).fill("1")), RangeError);
});

test("records, pages, replays and usage", live, async () => {
  const task = `ts-${Date.now()}`;
  const ids = [];
  for (const n of [0, 1, 2]) ids.push((await client.run(`print(${n})`, { task })).run_id);
  const found = [];
  for await (const run of client.iterate({ task, limit: 2 })) found.push(run.run_id);
  assert.deepEqual(found, ids.reverse());
  assert.deepEqual((await client.list({ task, outcome: "timeout" })).runs, []);
  const replay = await client.replay(ids[0]);
  assert.deepEqual([replay.verdict, replay.replay_of, replay.result.stdout], ["equal", ids[0], "2\n"]);
  const failed = await client.run("row = {}\nprint(row['total'])", { cache: "off" });
  const brief = await client.repairBrief(failed.run_id);
  assert.deepEqual([brief.error.type, brief.failing_lines.at(-1).failing, brief.repairable], ["KeyError", true, true]);
  await assert.rejects(client.repairBrief(ids[0]), { status: 409 });
  const usage = await client.usage({ bucket: "day" });
  assert.ok(usage.buckets.reduce((sum, bucket) => sum + bucket.runs, 0) >= 3);
  await client.delete(ids[0]);
  await assert.rejects(client.get(ids[0]), NotFound);
});

test("tools of every format, and the arguments of one", live, async () => {
  const all = await client.tools();
  for (const format of ["openai_chat", "openai_responses", "anthropic", "ollama"]) {
    assert.deepEqual(await client.tools(format), all[format]);
  }
  const result = await client.runTool({ language: "bash", code: "cat", stdin: "hi", files: null });
  assert.equal(result.stdout, "hi");
});

test("the kill switch stops everything until resumed", live, async () => {
  try {
    assert.equal((await client.stop("a test")).stopped, true);
    await assert.rejects(client.run("print(1)"), (error) => error instanceof Unavailable && error.code === "stopped");
    assert.equal((await client.state()).reason, "a test");
  } finally {
    assert.equal((await client.resume("the test is over")).stopped, false);
  }
  assert.ok((await client.run("print(1)")).success);
});

test("a policy is asked, and a person answers while a run waits", live, async () => {
  const decision = await client.checkPolicy({ code: "import json\nimport socket", policy: "strict" });
  assert.equal(decision.decision, "deny");
  assert.deepEqual([decision.findings[0].line, decision.findings[0].column], [2, 8]);
  const code = `import json\nprint(callable(getattr(json, input())))  # ${Math.random()}`;
  const run = client.run(code, { stdin: "dumps\n", policy: "sandboxed_python" });
  let waiting;
  for (const end = Date.now() + 30_000; waiting === undefined; ) {
    assert.ok(Date.now() < end, "nobody asked");
    const { approvals } = await client.approvals({ state: "pending" });
    const whole = await Promise.all(approvals.map(({ id }) => client.approval(id)));
    waiting = whole.find((approval) => approval.detail.request.code === code);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal((await client.get(waiting.run_id)).state, "waiting");
  assert.equal((await client.approve(waiting.id, "from a test")).state, "approved");
  assert.equal((await run).stdout, "True\n");
  await assert.rejects(client.reject(waiting.id), { status: 409 });
});
