// Short names for the types that openapi-typescript made from the contract (src/api.ts; `npm run generate`).
import type { components } from "./api.js";

export type Schemas = components["schemas"];

export type RunRequest = Schemas["RunRequest"];
export type Limits = Schemas["Limits"];
export type Expect = Schemas["Expect"];
export type InputFile = Schemas["InputFile"];
export type Outcome = Schemas["RunResult"]["outcome"];
export type RunError = NonNullable<Schemas["RunResult"]["error"]>;
export type RunSummary = Schemas["RunSummary"];
export type RunList = Schemas["RunList"];
export type RepairBrief = Schemas["RepairBrief"];
export type Usage = Schemas["Usage"];
export type AdminState = Schemas["AdminState"];
export type PolicyDecision = Schemas["PolicyDecision"];
export type PolicyFinding = Schemas["PolicyFinding"];
export type Approval = Schemas["Approval"];
export type ApprovalList = Schemas["ApprovalList"];
export type Problem = Schemas["Problem"];
export type Progress = Schemas["BatchProgressEvent"];
export type ToolFormat = keyof Schemas["ToolSets"];
export type ToolSets = Schemas["ToolSets"];
export type Tool = Schemas["ToolList"][number];
