// Plain HTTP, as the inspector's load mode does it: so many callers at once, each with one call after the other.
//
//   node load.mjs URL KEY CONCURRENCY SECONDS BODY
const [url, key, concurrency, seconds, body] = process.argv.slice(2);
const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
const began = performance.now();
const deadline = began + Number(seconds) * 1000;
let ok = 0;
const failures = [];

async function caller() {
  while (performance.now() < deadline) {
    const response = await fetch(url, { method: "POST", headers, body });
    const result = await response.json();
    if (response.status === 200 && result.success && !result.cached) {
      ok += 1;
    } else {
      failures.push(result);
    }
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, caller));
const throughput = (ok * 1000) / (performance.now() - began);
console.log(JSON.stringify({ ok, failed: failures.length, failures: failures.slice(0, 3), throughput }));
