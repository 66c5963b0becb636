// The client. Every method is one operation of the HTTP API; src/transport.ts carries them.
import { type BatchResult, collectBatch, toBatchResult } from "./batch.js";
import { newKey, sha256 } from "./digest.js";
import { ApiError, GloveboxError, InvalidReply } from "./errors.js";
import { fromToolArguments, type Runnable, type RunOptions, toBytes, toPayload, type Upload } from "./request.js";
import { type RunResult, toRunResult } from "./result.js";
import { RunStream } from "./stream.js";
import { type Answer, type Call, maxJsonBytes, sleep, Transport } from "./transport.js";
import type {
  AdminState,
  Approval,
  ApprovalList,
  Limits,
  PolicyDecision,
  Progress,
  RepairBrief,
  RunList,
  RunRequest,
  RunSummary,
  Schemas,
  Tool,
  ToolFormat,
  ToolSets,
  Usage,
} from "./types.js";

export interface ClientOptions {
  /** Default: GLOVEBOX_URL, else http://127.0.0.1:7070. */
  baseUrl?: string;
  /** Default: GLOVEBOX_API_KEY. Keep keys out of browsers that are not yours. */
  apiKey?: string;
  /** Another fetch, for proxies, unix sockets or tests. */
  fetch?: typeof fetch;
  /** Milliseconds without a byte after which a call fails; a run waits at least for its wall limit. */
  timeoutMs?: number;
  /**
   * How often a call that was refused with Retry-After, or whose connection broke, is sent again. Runs get an
   * idempotency key for that, so that they are executed once. 0 turns both off.
   */
  retries?: number;
  maxRetryWaitMs?: number;
}

export interface CallOptions {
  /** A name for the work this run belongs to; budgets count over it. */
  task?: string;
  /** Gives up. For a run that means hanging up, and that cancels it. */
  signal?: AbortSignal;
}

export interface BatchOptions extends CallOptions {
  stopOnFailure?: boolean;
  concurrency?: number;
  /** Called with every report while the batch goes on; `progressBar()` of @glovebox/sdk/node draws a bar. */
  onProgress?: (progress: Progress) => void;
}

export interface RunRecord extends Omit<Schemas["RunRecord"], "result"> {
  /** null while it runs, and when it was interrupted. */
  result: RunResult | null;
}

export interface Replay extends Omit<Schemas["Replay"], "result"> {
  result: RunResult;
}

export interface ListOptions {
  limit?: number;
  cursor?: string;
  outcome?: Schemas["RunResult"]["outcome"];
  language?: string;
  task?: string;
  state?: Schemas["RunState"];
  /** RFC 3339. */
  since?: string;
  until?: string;
}

const eventStream = "text/event-stream";

export class Client {
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    const env = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
    this.#transport = new Transport({
      baseUrl: options.baseUrl ?? (env.GLOVEBOX_URL || "http://127.0.0.1:7070"),
      apiKey: options.apiKey ?? env.GLOVEBOX_API_KEY,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      timeoutMs: options.timeoutMs ?? 600_000,
      retries: options.retries ?? 3,
      maxRetryWaitMs: options.maxRetryWaitMs ?? 60_000,
    });
  }

  /** Runs a program and returns how it ended. A program that fails is a result like any other. */
  async run(code: string, options: RunOptions & CallOptions = {}): Promise<RunResult> {
    const { task, signal, ...rest } = options;
    return this.runRequest({ ...rest, code }, given({ task, signal }));
  }

  /** As run(), for a request that was made before. */
  async runRequest(request: Runnable, options: CallOptions = {}): Promise<RunResult> {
    const answer = await this.#transport.json(runCall(await this.#payload(request), options));
    const runId = waitingRun(answer);
    if (runId === undefined) return this.#toResult(answer);
    // A person has to approve it first, and the server does not keep the call open for that.
    const record = await this.wait(runId, given({ signal: options.signal }));
    if (record.result === null) throw new InvalidReply(`${runId} was cut off while it waited for approval`);
    return record.result;
  }

  /** Runs what a model asked for through the tool execute_code_sandbox. Limits are the caller's, never the model's. */
  async runTool(
    args: string | Record<string, unknown>,
    options: CallOptions & { limits?: Limits } = {},
  ): Promise<RunResult> {
    const { limits, ...rest } = options;
    return this.runRequest({ ...fromToolArguments(args), ...(limits && { limits }) }, rest);
  }

  /** Runs a program and yields its events as they happen; the last one has the result. */
  async stream(request: Runnable, options: CallOptions = {}): Promise<RunStream> {
    const call = runCall(await this.#payload(request), options, { Accept: eventStream });
    const answer = await this.#transport.open(call);
    return new RunStream(answer, this.#toResult, (runId) => this.cancel(runId));
  }

  /** Starts a run and returns its id at once. wait() or get() tell what became of it. */
  async submit(request: Runnable, options: CallOptions = {}): Promise<string> {
    const call = runCall(await this.#payload(request), options, { Prefer: "respond-async" });
    const answer = (await this.#transport.json(call)) as { run_id?: unknown } | null;
    if (typeof answer?.run_id !== "string") throw new InvalidReply("the server did not say which run this is");
    return answer.run_id;
  }

  /** Waits until a run neither runs nor waits for approval any more. */
  async wait(runId: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}): Promise<RunRecord> {
    const end = Date.now() + (options.timeoutMs ?? 600_000);
    for (let pause = 20; ; pause = Math.min(pause * 1.5, 1000)) {
      const record = await this.get(runId);
      if (record.state !== "running" && record.state !== "waiting") return record;
      if (Date.now() >= end) throw new GloveboxError(`${runId} is still running`);
      await sleep(Math.min(pause, end - Date.now()), options.signal);
    }
  }

  /** Runs many programs; the results are in the order of the requests. */
  async batch(requests: readonly Runnable[], options: BatchOptions = {}): Promise<BatchResult> {
    if (requests.length > 10_000) throw new RangeError("a batch has at most 10000 runs");
    const runs = await this.#payloads(requests);
    const body = given({
      runs,
      task: options.task,
      stop_on_failure: options.stopOnFailure,
      concurrency: options.concurrency,
    });
    const wallMs = runs.reduce((sum, run) => sum + wallLimit(run), 0);
    const call = jsonCall("POST", "/v1/batches", body, {
      repeatable: runs.every((run) => run.idempotency_key),
      leastTimeoutMs: wallMs + 60_000,
      signal: options.signal,
    });
    if (!options.onProgress) return toBatchResult(await this.#transport.json(call), this.#toResult);
    const answer = await this.#transport.open({ ...call, headers: { ...call.headers, Accept: eventStream } });
    return toBatchResult(await collectBatch(answer, runs.length, options.onProgress), this.#toResult);
  }

  /** Stops a running run. ApiError with status 409 when it is not running. */
  async cancel(runId: string): Promise<void> {
    await this.#transport.json({ method: "POST", target: `/v1/runs/${segment(runId)}/cancel`, repeatable: true });
  }

  async get(runId: string): Promise<RunRecord> {
    const record = (await this.#get(`/v1/runs/${segment(runId)}`)) as Schemas["RunRecord"];
    return { ...record, result: record.result === null ? null : this.#toResult(record.result) };
  }

  /** One page of runs, the newest first. */
  async list(options: ListOptions = {}): Promise<RunList> {
    const page = (await this.#get("/v1/runs" + query({ ...options }))) as RunList;
    if (!Array.isArray(page?.runs)) throw new InvalidReply("a list of runs was expected");
    return page;
  }

  /** Every run that list() would find, page after page. */
  async *iterate(options: ListOptions = {}): AsyncGenerator<RunSummary, void, undefined> {
    let page = await this.list(options);
    yield* page.runs;
    while (page.next_cursor !== null) {
      page = await this.list({ ...options, cursor: page.next_cursor });
      yield* page.runs;
    }
  }

  async delete(runId: string): Promise<void> {
    const call: Call = { method: "DELETE", target: `/v1/runs/${segment(runId)}`, repeatable: true };
    await (await this.#transport.open(call)).bytes(maxJsonBytes);
  }

  /** Runs a recorded run again and says what differs. */
  async replay(runId: string): Promise<Replay> {
    const call: Call = { method: "POST", target: `/v1/runs/${segment(runId)}/replay`, repeatable: false };
    const replay = (await this.#transport.json(call)) as Schemas["Replay"];
    return { ...replay, result: this.#toResult(replay?.result) };
  }

  /** What to send back to the model that wrote a failed program. */
  async repairBrief(runId: string): Promise<RepairBrief> {
    return (await this.#get(`/v1/runs/${segment(runId)}/repair`)) as RepairBrief;
  }

  /** What was used; times are RFC 3339. */
  async usage(options: { from?: string; to?: string; bucket?: "hour" | "day" } = {}): Promise<Usage> {
    return (await this.#get("/v1/usage" + query(options))) as Usage;
  }

  /** What the policy says about a request, without running it. */
  async checkPolicy(request: Runnable): Promise<PolicyDecision> {
    const { payload } = await toPayload(request);
    return (await this.#transport.json(jsonCall("POST", "/v1/policy/check", payload))) as PolicyDecision;
  }

  /** Runs that a policy asks a person about, the newest first; `approval()` has the request and the decision as well. */
  async approvals(options: { state?: Approval["state"]; limit?: number; cursor?: string } = {}): Promise<ApprovalList> {
    return (await this.#get("/v1/approvals" + query(options))) as ApprovalList;
  }

  async approval(approvalId: string): Promise<Approval> {
    return (await this.#get(`/v1/approvals/${segment(approvalId)}`)) as Approval;
  }

  /** Lets it run, once. Needs the scope approve; ApiError with status 409 when somebody else was faster. */
  async approve(approvalId: string, note = ""): Promise<Approval> {
    return this.#answer(approvalId, { answer: "approve", note });
  }

  async reject(approvalId: string, note = ""): Promise<Approval> {
    return this.#answer(approvalId, { answer: "reject", note });
  }

  /** Stores bytes and returns their SHA-256, for `files: { name: { sha256 } }`. */
  async upload(content: string | Uint8Array | ArrayBuffer | Blob): Promise<string> {
    const bytes = await toBytes(content);
    const upload = { sha256: await sha256(bytes), bytes };
    await this.#upload([upload]);
    return upload.sha256;
  }

  async download(digest: string): Promise<Uint8Array> {
    const answer = await this.#open(`/v1/blobs/${segment(digest)}`);
    const bytes = await answer.bytes(Number.MAX_SAFE_INTEGER);
    if ((await sha256(bytes)) !== digest) throw new InvalidReply(`the bytes are not those of ${digest}`);
    return bytes;
  }

  /** Tool definitions for a model: a list, ready for `tools` of that API's request; all four without a format. */
  async tools(): Promise<ToolSets>;
  async tools(format: ToolFormat): Promise<Tool[]>;
  async tools(format?: ToolFormat): Promise<ToolSets | Tool[]> {
    return (await this.#get("/v1/tools" + query({ format }))) as ToolSets | Tool[];
  }

  async health(): Promise<Schemas["Health"]> {
    return (await this.#get("/healthz")) as Schemas["Health"];
  }

  /** The kill switch: running runs die, new ones are refused. Needs the scope admin. */
  async stop(reason: string): Promise<AdminState> {
    return (await this.#transport.json(jsonCall("POST", "/v1/admin/stop", { reason }))) as AdminState;
  }

  async resume(reason: string): Promise<AdminState> {
    return (await this.#transport.json(jsonCall("POST", "/v1/admin/resume", { reason }))) as AdminState;
  }

  async state(): Promise<AdminState> {
    return (await this.#get("/v1/admin/state")) as AdminState;
  }

  async #answer(approvalId: string, answer: Schemas["ApprovalAnswer"]): Promise<Approval> {
    const call = jsonCall("POST", `/v1/approvals/${segment(approvalId)}`, answer, { repeatable: false });
    return (await this.#transport.json(call)) as Approval;
  }

  async #get(target: string): Promise<unknown> {
    return this.#transport.json({ method: "GET", target, repeatable: true });
  }

  /** Bytes of any type. */
  async #open(target: string): Promise<Answer> {
    return this.#transport.open({ method: "GET", target, headers: { Accept: "*/*" }, repeatable: true });
  }

  async #payload(request: Runnable): Promise<RunRequest> {
    const [payload] = await this.#payloads([request]);
    return payload as RunRequest;
  }

  async #payloads(requests: readonly Runnable[]): Promise<RunRequest[]> {
    const key = this.#transport.retries > 0 ? await newKey() : undefined;
    const stored = new Set<string>();
    const payloads: RunRequest[] = [];
    for (const [index, request] of requests.entries()) {
      const { payload, uploads } = await toPayload(request);
      await this.#upload(uploads.filter((upload) => !stored.has(upload.sha256)));
      for (const upload of uploads) stored.add(upload.sha256);
      if (key && !payload.idempotency_key) payloads.push({ ...payload, idempotency_key: `${key}-${index}` });
      else payloads.push(payload);
    }
    return payloads;
  }

  async #upload(uploads: Upload[]): Promise<void> {
    for (const { sha256: digest, bytes } of uploads) {
      const target = `/v1/blobs/${segment(digest)}`;
      try {
        (await this.#transport.open({ method: "HEAD", target, repeatable: true })).close();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // Not stored, or not ours to ask: then it is sent, and the answer to that counts.
        const headers = { "Content-Type": "application/octet-stream" };
        await this.#transport.json({ method: "PUT", target, headers, body: bytes, repeatable: true });
      }
    }
  }

  readonly #toResult = (data: unknown): RunResult =>
    toRunResult(data, async (runId, path, maxBytes) => {
      const segments = path.split("/").map(segment).join("/");
      const target = `/v1/runs/${segment(runId)}/artifacts/${segments}`;
      return (await this.#open(target)).bytes(maxBytes);
    });
}

function jsonCall(method: string, target: string, body: unknown, more: Partial<Call> = {}): Call {
  const headers = { "Content-Type": "application/json", ...more.headers };
  return { method, target, body: JSON.stringify(body), repeatable: true, ...more, headers };
}

function runCall(payload: RunRequest, options: CallOptions, headers: Record<string, string> = {}): Call {
  return jsonCall("POST", "/v1/runs", payload, {
    headers: { ...headers, ...(options.task !== undefined && { "Glovebox-Task": options.task }) },
    repeatable: Boolean(payload.idempotency_key),
    leastTimeoutMs: wallLimit(payload) + 60_000,
    signal: options.signal,
  });
}

function waitingRun(answer: unknown): string | undefined {
  const accepted = answer as { state?: unknown; run_id?: unknown } | null;
  return accepted?.state === "waiting" && typeof accepted.run_id === "string" ? accepted.run_id : undefined;
}

/** Whatever the caller wrote there: judging it is the server's business. */
function wallLimit(payload: RunRequest): number {
  const wallMs: unknown = payload.limits?.wall_ms;
  return typeof wallMs === "number" && wallMs > 0 ? wallMs : 0;
}

function segment(text: string): string {
  // A dot alone would be taken as a step in the path.
  if (text === "" || text === "." || text === "..") throw new TypeError(`${JSON.stringify(text)} is not a name`);
  return encodeURIComponent(text);
}

function query(parameters: Record<string, string | number | undefined>): string {
  const pairs = Object.entries(given(parameters)).map(([name, value]) => [name, String(value)]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** The members that have a value. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
