// A run while it goes on.
import { ConnectionFailed, InvalidReply } from "./errors.js";
import { EventDecoder, parseEvent, type RunEvent } from "./events.js";
import type { RunResult } from "./result.js";
import { type Answer, maxJsonBytes } from "./transport.js";

/** An iterator over a run's events. Leaving it early hangs up, and that cancels the run. */
export class RunStream implements AsyncIterable<RunEvent> {
  readonly runId: string | undefined;
  /** Set when the last event has arrived. */
  result: RunResult | undefined;

  constructor(
    private readonly answer: Answer,
    private readonly toResult: (data: unknown) => RunResult,
    private readonly cancelRun: (runId: string) => Promise<void>,
  ) {
    this.runId = answer.response.headers.get("Glovebox-Run-Id") ?? undefined;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    const decoder = new EventDecoder(maxJsonBytes);
    try {
      for await (const chunk of this.answer.chunks()) {
        for (const raw of decoder.feed(chunk)) {
          const event = parseEvent(raw, this.toResult);
          if (event?.type === "result") this.result = event.result;
          if (event) yield event;
        }
      }
      if (!this.result) throw new ConnectionFailed("the stream ended before the result");
    } finally {
      this.close();
    }
  }

  /** Stops the run; the result, with what was written so far, still arrives. */
  async cancel(): Promise<void> {
    if (!this.runId) throw new InvalidReply("the server did not say which run this is");
    await this.cancelRun(this.runId);
  }

  close(): void {
    this.answer.close();
  }
}
