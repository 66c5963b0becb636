/// <reference types="node" />
// What needs Node: files on disk, and a bar on a terminal.
import { lstat, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Artifact } from "./result.js";
import type { Progress } from "./types.js";

/** Files on this machine for `files`; each keeps its last name. */
export async function filesFrom(...paths: string[]): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  for (const path of paths) files[basename(path)] = await readFile(path);
  return files;
}

/** Writes an artifact below `directory` under its own path, and returns where. Existing files are replaced. */
export async function saveArtifact(artifact: Artifact, directory: string): Promise<string> {
  // The program chose the name, so it is checked here too.
  const parts = artifact.path.split("/");
  const tricks = sep === "\\" ? /[\0\\:]/ : /\0/;
  if (parts.some((part) => part === "" || part === "." || part === ".." || tricks.test(part))) {
    throw new TypeError(`refusing to save an artifact as ${JSON.stringify(artifact.path)}`);
  }
  const bytes = await artifact.read();
  await mkdir(directory, { recursive: true });
  const base = await realpath(directory);
  const destination = join(base, ...parts);
  const parent = await realDirectory(base, parts.slice(0, -1));
  if (parent !== dirname(destination) || (await isLink(destination))) {
    throw new TypeError(`refusing to save an artifact through a link: ${destination}`);
  }
  // It takes its name only when all of it is there.
  const partial = join(parent, `${basename(destination).slice(0, 60)}.partial`);
  await rm(partial, { force: true });
  await writeFile(partial, bytes, { flag: "wx" });
  await rename(partial, destination);
  return destination;
}

/** Makes the directories one by one, so that none is made behind a link that leads elsewhere. */
async function realDirectory(base: string, parts: string[]): Promise<string> {
  let current = base;
  for (const part of parts) {
    const next = join(current, part);
    await mkdir(next, { recursive: true });
    current = await realpath(next);
    if (current !== resolve(next)) return current;
  }
  return current;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

interface Terminal {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** A function for `onProgress` that draws a bar, if the stream is a terminal. */
export function progressBar(stream: Terminal = process.stderr): (progress: Progress) => void {
  const width = 30;
  const begin = Date.now();
  return ({ done, total, failed }) => {
    if (!stream.isTTY) return;
    const filled = Math.floor((width * done) / Math.max(total, 1));
    const rate = Math.round((done * 1000) / Math.max(Date.now() - begin, 1));
    const bar = "█".repeat(filled) + "·".repeat(width - filled);
    stream.write(`\r${bar} ${done}/${total}  ${failed} failed  ${rate}/s\x1b[K${done === total ? "\n" : ""}`);
  };
}
