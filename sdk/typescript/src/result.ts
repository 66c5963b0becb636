// The result of a run as the contract has it, with ways to get at its artifacts.
import { sha256 } from "./digest.js";
import { InvalidReply, RunFailed } from "./errors.js";
import type { Schemas } from "./types.js";

type FetchArtifact = (runId: string, path: string, maxBytes: number) => Promise<Uint8Array>;

/** A file that the program left. Its bytes are fetched when they are asked for, and checked against the hash. */
export class Artifact {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly media_type: string;
  readonly #read: () => Promise<Uint8Array>;

  constructor(data: Schemas["RunResult"]["artifacts"][number], read: () => Promise<Uint8Array>) {
    this.path = data.path;
    this.bytes = data.bytes;
    this.sha256 = data.sha256;
    this.media_type = data.media_type;
    this.#read = read;
  }

  async read(): Promise<Uint8Array> {
    const bytes = await this.#read();
    if (bytes.length !== this.bytes || (await sha256(bytes)) !== this.sha256) {
      throw new InvalidReply(`${this.path}: the bytes are not those that the result promised`);
    }
    return bytes;
  }

  /** The content as text in UTF-8. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.read());
  }
}

// The class takes its members from the contract's type; the constructor copies them.
export interface RunResult extends Omit<Schemas["RunResult"], "artifacts"> {}
export class RunResult {
  readonly artifacts: Artifact[];

  constructor(data: Schemas["RunResult"], fetchArtifact: FetchArtifact) {
    Object.assign(this, data);
    this.artifacts = data.artifacts.map(
      (item) => new Artifact(item, () => fetchArtifact(data.run_id, item.path, item.bytes)),
    );
  }

  /** What solve(input) returned; undefined when the program had no solve. */
  get value(): unknown {
    return this.results.find((output) => output.kind === "value")?.value;
  }

  /** The artifact with this path; undefined when there is none. */
  artifact(path: string): Artifact | undefined {
    return this.artifacts.find((artifact) => artifact.path === path);
  }

  /** The result itself when the run was a success; otherwise it throws RunFailed. */
  raiseForOutcome(): this {
    if (!this.success) throw new RunFailed(this);
    return this;
  }
}

export function toRunResult(data: unknown, fetchArtifact: FetchArtifact): RunResult {
  const result = data as Schemas["RunResult"];
  const arrays = ["artifacts", "results", "denials", "attempts"] as const;
  const isResult =
    typeof data === "object" &&
    data !== null &&
    typeof result.run_id === "string" &&
    typeof result.outcome === "string" &&
    typeof result.success === "boolean" &&
    typeof result.stdout === "string" &&
    arrays.every((name) => Array.isArray(result[name]));
  if (!isResult) throw new InvalidReply("a result was expected");
  return new RunResult(result, fetchArtifact);
}
