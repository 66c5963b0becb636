// Many runs in one call.
import { ConnectionFailed, InvalidReply } from "./errors.js";
import { EventDecoder, parseData } from "./events.js";
import type { RunResult } from "./result.js";
import { type Answer, maxJsonBytes } from "./transport.js";
import type { Progress, Schemas } from "./types.js";

export interface BatchResult extends Omit<Schemas["BatchResult"], "results"> {
  /** In the order of the requests. */
  results: RunResult[];
}

/** Puts the events of a batch back into the one object that a call without events answers. */
export async function collectBatch(
  answer: Answer,
  total: number,
  onProgress: (progress: Progress) => void,
): Promise<unknown> {
  const results: unknown[] = new Array(total);
  let done: Record<string, unknown> | undefined;
  const decoder = new EventDecoder(maxJsonBytes);
  for await (const chunk of answer.chunks()) {
    for (const event of decoder.feed(chunk)) {
      const data = parseData(event);
      if (event.name === "progress") onProgress(data as unknown as Progress);
      if (event.name === "done") done = data;
      if (event.name === "result") {
        const index = data.index;
        if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= total) {
          throw new InvalidReply("a result has no place in the batch");
        }
        results[index] = data.result;
      }
    }
  }
  if (!done) throw new ConnectionFailed("the stream ended before the batch did");
  return { ...done, results };
}

export function toBatchResult(data: unknown, toResult: (data: unknown) => RunResult): BatchResult {
  const batch = data as Schemas["BatchResult"];
  if (typeof data !== "object" || data === null || !Array.isArray(batch.results)) {
    throw new InvalidReply("the result of a batch was expected");
  }
  return { ...batch, results: Array.from(batch.results, toResult) };
}
