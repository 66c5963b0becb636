// Server-sent events: the decoder, and what the events of a run are.
import { apiError, InvalidReply } from "./errors.js";
import type { RunResult } from "./result.js";

export type RunEvent =
  | { type: "state"; state: string }
  | { type: "stdout" | "stderr"; text: string }
  | { type: "result"; result: RunResult };

export interface RawEvent {
  name: string;
  data: string;
}

/** Bytes in, events out, however the bytes were cut. One event is bounded in size. */
export class EventDecoder {
  #decoder = new TextDecoder();
  #pending: string[] = [];
  #pendingLength = 0;
  #name = "message";
  #data: string[] = [];
  #dataLength = 0;

  constructor(private readonly maxEventLength: number) {}

  feed(chunk: Uint8Array): RawEvent[] {
    const events: RawEvent[] = [];
    const lines = this.#decoder.decode(chunk, { stream: true }).split("\n");
    // The last piece has no end yet; the first one completes what was pending.
    for (let index = 0; index < lines.length; index++) {
      const piece = lines[index] ?? "";
      this.#pending.push(piece);
      this.#pendingLength += piece.length;
      if (this.#pendingLength + this.#dataLength > this.maxEventLength) {
        throw new InvalidReply(`an event is longer than ${this.maxEventLength}`);
      }
      if (index === lines.length - 1) break;
      const line = this.#pending.join("").replace(/\r$/, "");
      this.#pending = [];
      this.#pendingLength = 0;
      const event = this.#take(line);
      if (event) events.push(event);
    }
    return events;
  }

  #take(line: string): RawEvent | undefined {
    if (line === "") {
      const event = this.#data.length > 0 ? { name: this.#name, data: this.#data.join("\n") } : undefined;
      this.#name = "message";
      this.#data = [];
      this.#dataLength = 0;
      return event;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#name = value;
    if (name === "data") {
      this.#data.push(value);
      this.#dataLength += value.length;
    }
    return undefined;
  }
}

export function parseData(event: RawEvent): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(event.data);
  } catch {
    throw new InvalidReply(`an event ${event.name} is not JSON`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidReply(`an event ${event.name} is not an object`);
  }
  const data = value as Record<string, unknown>;
  if (event.name === "error") throw apiError(typeof data.status === "number" ? data.status : 500, data);
  return data;
}

/** undefined for an event that this version does not know. */
export function parseEvent(event: RawEvent, toResult: (data: unknown) => RunResult): RunEvent | undefined {
  const data = parseData(event);
  const text = (name: string): string => {
    const value = data[name];
    if (typeof value !== "string") throw new InvalidReply(`an event ${event.name} has no ${name}`);
    return value;
  };
  switch (event.name) {
    case "state":
      return { type: "state", state: text("state") };
    case "stdout":
    case "stderr":
      return { type: event.name, text: text("data") };
    case "result":
      return { type: "result", result: toResult(data) };
    default:
      return undefined;
  }
}
