// What a run is asked for, and how its files get to the server: small ones in the request, large ones as blobs.
import { sha256 } from "./digest.js";
import type { InputFile, RunRequest } from "./types.js";

/** Larger files are stored once under their hash instead of travelling with every request. */
export const inlineBytes = 1 << 20;

/** Bytes that the server already has. */
export interface BlobReference {
  sha256: string;
}

/** Text, bytes, a Blob or File of the browser, or a reference to bytes that the server has. */
export type FileContent = string | Uint8Array | ArrayBuffer | Blob | BlobReference;

/** Everything of a request but the code. `files` maps paths in the work directory to contents. */
export type RunOptions = Omit<RunRequest, "code" | "files" | "network"> & {
  files?: Record<string, FileContent>;
  /** host:port pairs that the program may reach. */
  network?: string[];
};

/** The code alone, the code with options, or the JSON object of the contract as it is. */
export type Runnable = string | ({ code: string } & RunOptions) | RunRequest;

export interface Upload {
  sha256: string;
  bytes: Uint8Array;
}

export async function toPayload(runnable: Runnable): Promise<{ payload: RunRequest; uploads: Upload[] }> {
  if (typeof runnable === "string") return { payload: { code: runnable }, uploads: [] };
  const { files, network, ...rest } = runnable;
  const payload: RunRequest = rest;
  const uploads: Upload[] = [];
  if (network !== undefined) payload.network = Array.isArray(network) ? { allow: network } : network;
  if (Array.isArray(files)) {
    payload.files = files;
  } else if (files !== undefined) {
    payload.files = [];
    for (const [path, content] of Object.entries(files)) payload.files.push(await toFile(path, content, uploads));
  }
  return { payload, uploads };
}

async function toFile(path: string, content: FileContent, uploads: Upload[]): Promise<InputFile> {
  if (isReference(content)) return { path, blob: `sha256:${content.sha256}` };
  const bytes = await toBytes(content);
  if (bytes.length > inlineBytes) {
    const digest = await sha256(bytes);
    if (!uploads.some((upload) => upload.sha256 === digest)) uploads.push({ sha256: digest, bytes });
    return { path, blob: `sha256:${digest}` };
  }
  try {
    // A byte order mark is part of the file, so it must survive.
    return { path, content: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { path, content: base64(bytes), encoding: "base64" };
  }
}

function isReference(content: FileContent): content is BlobReference {
  return typeof content === "object" && "sha256" in content && typeof content.sha256 === "string";
}

export async function toBytes(content: string | Uint8Array | ArrayBuffer | Blob): Promise<Uint8Array> {
  if (typeof content === "string") return new TextEncoder().encode(content);
  if (content instanceof Uint8Array) return content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (typeof (content as Blob)?.arrayBuffer === "function") return new Uint8Array(await content.arrayBuffer());
  throw new TypeError("a file's content is text, bytes, a Blob or { sha256 }");
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let begin = 0; begin < bytes.length; begin += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(begin, begin + 0x8000));
  }
  return btoa(binary);
}

// What a model may say through execute_code_sandbox. Grants and limits are the caller's to give, not the model's.
const toolArguments = ["language", "code", "stdin", "files", "artifacts"];

/** The request from a model's tool call: its arguments as an object, or as the text that OpenAI sends. */
export function fromToolArguments(args: string | Record<string, unknown>): RunRequest {
  const values: unknown = typeof args === "string" ? JSON.parse(args) : args;
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw new TypeError("the arguments of the tool must be an object");
  }
  const unknown = Object.keys(values).find((name) => !toolArguments.includes(name));
  if (unknown !== undefined) throw new TypeError(`the tool has no argument ${unknown}`);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as unknown as RunRequest;
}
