// Calls over fetch: time limits, refusals as exceptions, and trying again what may be tried again.
import { ApiError, apiError, ConnectionFailed, InvalidReply } from "./errors.js";

/** No answer in JSON is near this; a stream of events is bounded per event. */
export const maxJsonBytes = 1 << 29;

export interface Call {
  method: string;
  /** Path and query, from /v1 on. */
  target: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Sending it twice does no more than sending it once. */
  repeatable: boolean;
  /** The least time without a byte that must be waited, because the answer comes when a run has ended. */
  leastTimeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export interface TransportOptions {
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  retries: number;
  maxRetryWaitMs: number;
}

/** An answer with a good status, whose body has not been read yet. */
export class Answer {
  constructor(
    readonly response: Response,
    private readonly deadline: Deadline,
  ) {}

  /** Bytes as they arrive. Leaving it early hangs up. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = this.response.body?.getReader();
    try {
      while (reader) {
        this.deadline.restart();
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
      }
    } catch (error) {
      throw this.deadline.explain(error);
    } finally {
      this.close();
    }
  }

  async bytes(limit: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.chunks()) {
      size += chunk.length;
      if (size > limit) throw new InvalidReply(`the answer is larger than ${limit} bytes`);
      parts.push(chunk);
    }
    const all = new Uint8Array(size);
    let offset = 0;
    for (const part of parts) {
      all.set(part, offset);
      offset += part.length;
    }
    return all;
  }

  async json(): Promise<unknown> {
    const text = new TextDecoder().decode(await this.bytes(maxJsonBytes));
    try {
      return JSON.parse(text);
    } catch {
      throw new InvalidReply("the answer is not JSON");
    }
  }

  /** Hangs up, unless everything was read. */
  close(): void {
    this.deadline.end();
  }
}

/** Ends a call that had no byte for too long, or whose caller gave up. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => this.#controller.abort(this.outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timedOut = false;

  constructor(
    private readonly timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    if (outer?.aborted) this.#onAbort();
    outer?.addEventListener("abort", this.#onAbort);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    // Longer times do not fit into a timer.
    this.#timer = setTimeout(() => {
      this.#timedOut = true;
      this.#controller.abort();
    }, Math.min(this.timeoutMs, 0x7fffffff));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  explain(error: unknown): unknown {
    if (this.outer?.aborted) return this.outer.reason;
    if (error instanceof InvalidReply || error instanceof ApiError) return error;
    if (this.#timedOut) return new ConnectionFailed(`no byte for ${this.timeoutMs} ms`);
    const cause = (error as { cause?: unknown })?.cause ?? error;
    return new ConnectionFailed(`no answer from the server: ${String(cause)}`, { cause: error });
  }
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #base: string;

  constructor(options: TransportOptions) {
    const url = new URL(options.baseUrl);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new TypeError(`${options.baseUrl}: the URL must begin with http:// or https://`);
    }
    if (url.username || url.password || url.search || url.hash) {
      throw new TypeError("the URL must have no user, query or fragment; a key is given as apiKey");
    }
    this.#options = options;
    this.#base = url.origin + url.pathname.replace(/\/+$/, "");
  }

  get retries(): number {
    return this.#options.retries;
  }

  async json(call: Call): Promise<unknown> {
    return (await this.open(call)).json();
  }

  /** The answer to a call, if it is a good one; refusals that may pass are tried again. */
  async open(call: Call): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(call);
      } catch (error) {
        const delay = this.#retryDelay(error, call, attempt);
        if (delay === undefined) throw error;
        await sleep(delay, call.signal);
      }
    }
  }

  async #once(call: Call): Promise<Answer> {
    const { apiKey, timeoutMs } = this.#options;
    const deadline = new Deadline(Math.max(timeoutMs, call.leastTimeoutMs ?? 0), call.signal);
    const headers: Record<string, string> = { Accept: "application/json", ...call.headers };
    if (apiKey) headers.Authorization = `Bearer ${apiKey}`;
    const init: RequestInit = { method: call.method, headers, signal: deadline.signal, redirect: "manual" };
    if (call.body !== undefined) init.body = call.body as BodyInit;
    let response: Response;
    try {
      response = await this.#options.fetch(this.#base + call.target, init);
    } catch (error) {
      deadline.end();
      throw deadline.explain(error);
    }
    const answer = new Answer(response, deadline);
    if (response.ok) return answer;
    const retryAfter = /^[0-9]{1,9}$/.exec(response.headers.get("Retry-After") ?? "");
    throw apiError(response.status, await problemOf(answer), retryAfter ? Number(retryAfter[0]) : undefined);
  }

  #retryDelay(error: unknown, call: Call, attempt: number): number | undefined {
    const { retries, maxRetryWaitMs } = this.#options;
    if (attempt >= retries || !call.repeatable || call.signal?.aborted) return undefined;
    // Some spread, so that clients who were refused together do not come back together.
    const spread = Math.random() * 250;
    if (error instanceof ApiError) {
      // Somebody stopped the service on purpose, or the same program failed too often: that is not for a program to wait
      // out.
      if (error.problem.code === "stopped" || error.problem.code === "circuit_open") return undefined;
      if (error.status !== 429 && error.status !== 503) return undefined;
      if (error.retryAfter === undefined || error.retryAfter * 1000 > maxRetryWaitMs) return undefined;
      return error.retryAfter * 1000 + spread;
    }
    if (error instanceof ConnectionFailed) return Math.min(100 * 2 ** attempt + spread, maxRetryWaitMs);
    return undefined;
  }
}

async function problemOf(answer: Answer): Promise<unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(await answer.bytes(1 << 20)));
  } catch {
    // A proxy's page, or nothing at all: the status says enough.
    return undefined;
  }
}

export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
  });
}
