// The client of a Glovebox server. Everything here works in browsers and in Node; what needs files or a terminal is in
// @glovebox/sdk/node.
export type { BatchResult } from "./batch.js";
export { Client } from "./client.js";
export type { BatchOptions, CallOptions, ClientOptions, ListOptions, Replay, RunRecord } from "./client.js";
export {
  ApiError,
  ConnectionFailed,
  GloveboxError,
  InvalidReply,
  NotFound,
  QuotaExceeded,
  RunFailed,
  Unavailable,
} from "./errors.js";
export { EventDecoder } from "./events.js";
export type { RawEvent, RunEvent } from "./events.js";
export type { BlobReference, FileContent, Runnable, RunOptions } from "./request.js";
export { Artifact, RunResult } from "./result.js";
export { RunStream } from "./stream.js";
export type {
  AdminState,
  Approval,
  ApprovalList,
  Expect,
  InputFile,
  Limits,
  Outcome,
  PolicyDecision,
  PolicyFinding,
  Problem,
  Progress,
  RepairBrief,
  RunError,
  RunList,
  RunRequest,
  RunSummary,
  Schemas,
  Tool,
  ToolFormat,
  ToolSets,
  Usage,
} from "./types.js";
