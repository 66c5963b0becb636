// Drives a server through one of the official TypeScript SDKs and prints what it saw, one JSON object on stdout.
//
//   node client.mjs v1|v2 legacy|modern '{"command":"glovebox","args":["mcp"]}'
//   node client.mjs v1|v2 legacy|modern '{"url":"http://127.0.0.1:7070/mcp","key":"gbk_…"}'
//
// Nothing is judged here: the test that starts this does. A step that throws is told under its name.
import { performance } from "node:perf_hooks";

const [sdk, era, target] = [process.argv[2], process.argv[3], JSON.parse(process.argv[4])];
const seen = {};

async function load() {
  if (sdk === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    return { Client, StdioClientTransport, StreamableHTTPClientTransport, elicit: ElicitRequestSchema };
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  return { Client, StdioClientTransport, StreamableHTTPClientTransport, elicit: "elicitation/create" };
}

const { Client, StdioClientTransport, StreamableHTTPClientTransport, elicit } = await load();

// Whom the server asks: says yes in the words of the form (every boolean true, every choice its first), or no.
let says_yes = false;
let questions = [];

function answer({ params }) {
  questions.push(params);
  if (!says_yes) {
    return { action: "decline" };
  }
  const content = {};
  for (const [name, field] of Object.entries(params.requestedSchema?.properties ?? {})) {
    content[name] = field.type === "boolean" ? true : (field.enum?.[0] ?? field.oneOf?.[0]?.const ?? "yes");
  }
  return { action: "accept", content };
}

async function connect() {
  const options = { capabilities: { elicitation: {} } };
  if (era === "modern") {
    options.versionNegotiation = { mode: { pin: "2026-07-28" } };
  }
  const client = new Client({ name: "glovebox-test", version: "1.0.0" }, options);
  client.setRequestHandler(elicit, answer);
  const transport = target.url
    ? new StreamableHTTPClientTransport(new URL(target.url), {
        requestInit: target.key ? { headers: { Authorization: `Bearer ${target.key}` } } : {},
      })
    : new StdioClientTransport({ command: target.command, args: target.args, env: process.env, stderr: "inherit" });
  await client.connect(transport);
  return client;
}

async function step(name, work) {
  try {
    seen[name] = await work();
  } catch (error) {
    seen[name] = { thrown: String(error), stack: error?.stack, code: error?.code };
  }
}

const client = await connect();
const call = (name, args, options) =>
  sdk === "v1" ? client.callTool({ name, arguments: args }, undefined, options) : client.callTool({ name, arguments: args }, options);

await step("server", async () => ({
  info: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  protocol: client.getNegotiatedProtocolVersion?.(),
}));
await step("tools", async () => (await client.listTools()).tools);
await step("run", () => call("execute_code_sandbox", { language: "python", code: "print(6 * 7)" }));
await step("failing", () => call("execute_code_sandbox", { code: "1 / 0" }));
await step("unknown_tool", () => call("no_such_tool", {}));
await step("bad_arguments", () => call("execute_code_sandbox", { language: "python" }));

await step("workspace", async () => {
  const wrote = await call("write_file", { path: "notes/hello.txt", content: "hello from the client\n" });
  // The older era knows the conversation by its session; the stateless one by a handle.
  const handle = wrote.structuredContent?.workspace;
  const where = era === "modern" ? { workspace: handle } : {};
  const shell = await call("run_shell", { command: "cat notes/hello.txt; echo made by shell > made.txt", ...where });
  const program = await call("execute_code_sandbox", { code: "print(open('made.txt').read())", ...where });
  const listed = await call("list_files", where);
  const read = await call("read_file", { path: "made.txt", ...where });
  const stranger = await call("read_file", { path: "made.txt", workspace: "ws_00000000000000000000000000000000" });
  return { handle, wrote, shell, program, listed, read, stranger };
});

async function ask(yes) {
  says_yes = yes;
  questions = [];
  const code = `import os\nos.chdir('.')\nprint('approved')  # ${yes}`;
  const result = await call("execute_code_sandbox", { code, policy: "data_analysis" });
  return { questions, result };
}
await step("elicitation_accepted", () => ask(true));
await step("elicitation_declined", () => ask(false));

await step("progress", async () => {
  const told = [];
  const result = await call(
    "execute_code_sandbox",
    { code: "import time\nfor n in range(12):\n    print(n, flush=True)\n    time.sleep(0.25)" },
    { onprogress: (progress) => told.push(progress), timeout: 30_000 },
  );
  return { told, result };
});

await step("cancel", async () => {
  const abort = new AbortController();
  const began = performance.now();
  setTimeout(() => abort.abort("enough"), 1000);
  let thrown = "";
  try {
    await call(
      "execute_code_sandbox",
      { code: "import time\nprint('started', flush=True)\ntime.sleep(60)", limits: { wall_ms: 60_000 } },
      { signal: abort.signal, timeout: 90_000 },
    );
  } catch (error) {
    thrown = String(error);
  }
  const stopped_ms = performance.now() - began;
  const after = await call("execute_code_sandbox", { code: "print('alive')" });
  return { thrown, stopped_ms, after };
});

await step("many", async () => {
  const codes = [...Array(16).keys()];
  const results = await Promise.all(codes.map((n) => call("execute_code_sandbox", { code: `print(${n} * 1000)` })));
  return results.map((result) => result.structuredContent?.stdout);
});

await client.close();
process.stdout.write(JSON.stringify(seen) + "\n");
process.exit(0);
