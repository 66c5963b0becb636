// Hashes and random names, in browsers and in Node alike.

interface WebCrypto {
  getRandomValues(array: Uint8Array): Uint8Array;
  subtle: { digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer> };
}

async function webCrypto(): Promise<WebCrypto> {
  const here = (globalThis as { crypto?: WebCrypto }).crypto;
  if (here?.subtle) return here;
  // Node 18 has it in a module only. The name is a variable so that bundlers for browsers leave it alone.
  const name = "node:crypto";
  const module = (await import(/* @vite-ignore */ name)) as { webcrypto: WebCrypto };
  return module.webcrypto;
}

function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function sha256(bytes: Uint8Array): Promise<string> {
  const { subtle } = await webCrypto();
  return hexadecimal(new Uint8Array(await subtle.digest("SHA-256", bytes)));
}

export async function newKey(): Promise<string> {
  return hexadecimal((await webCrypto()).getRandomValues(new Uint8Array(16)));
}
