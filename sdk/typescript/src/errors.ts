// What can go wrong, as classes:
//
//   GloveboxError
//   ├── ApiError           the server refused or failed; .problem is its structured answer
//   │   ├── NotFound       404
//   │   ├── QuotaExceeded  429, with .retryAfter
//   │   └── Unavailable    503, with .retryAfter
//   ├── ConnectionFailed   no answer: not reachable, hung up, timed out
//   ├── InvalidReply       an answer that is not one of a Glovebox server
//   └── RunFailed          only from raiseForOutcome(): the program did not end well
import type { RunResult } from "./result.js";
import type { Problem, RunError } from "./types.js";

export class GloveboxError extends Error {
  override name = this.constructor.name;
}

export class ApiError extends GloveboxError {
  constructor(
    readonly problem: Problem,
    /** Seconds after which another try makes sense; undefined when the server did not say. */
    readonly retryAfter?: number | undefined,
  ) {
    const field = problem.field ? ` (field ${problem.field})` : "";
    const hint = problem.hint ? `\n${problem.hint}` : "";
    super(`${problem.status} ${problem.code}: ${problem.detail || problem.title}${field}${hint}`);
  }

  get status(): number {
    return this.problem.status;
  }

  get code(): string {
    return this.problem.code;
  }
}

export class NotFound extends ApiError {}
export class QuotaExceeded extends ApiError {}
export class Unavailable extends ApiError {}

/** There was no answer. Whether the server acted on the request is unknown. */
export class ConnectionFailed extends GloveboxError {}

/** The answer is not what the contract promises. */
export class InvalidReply extends GloveboxError {}

export class RunFailed extends GloveboxError {
  constructor(readonly result: RunResult) {
    const error = result.error;
    const type = error?.type ? `${error.type}: ` : "";
    const line = error?.line ? ` (line ${error.line})` : "";
    super(error ? `${result.outcome}: ${type}${error.message}${line}` : result.outcome);
  }

  get error(): RunError | null {
    return this.result.error;
  }
}

/** The exception for whatever a server, or a proxy in between, sent with a status that is none of the 2xx. */
export function apiError(status: number, body: unknown, retryAfter?: number): ApiError {
  const data = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => (typeof data[name] === "string" ? data[name] : undefined);
  const problem: Problem = {
    type: text("type") ?? "",
    title: text("title") ?? `HTTP ${status}`,
    status,
    detail: text("detail") ?? "",
    code: text("code") ?? "unknown",
  };
  for (const name of ["field", "hint", "run_id"] as const) {
    const value = text(name);
    if (value !== undefined) problem[name] = value;
  }
  const kinds: Record<number, typeof ApiError> = { 404: NotFound, 429: QuotaExceeded, 503: Unavailable };
  return new (kinds[status] ?? ApiError)(problem, retryAfter);
}
