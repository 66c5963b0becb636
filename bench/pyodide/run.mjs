// Runs one Python program with Pyodide, the way people do it from Node: a fresh process loads the interpreter, sees the
// current directory as its own, runs the file, and hands over what it printed.
//
//   node run.mjs main.py
import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const code = readFileSync(process.argv[2], "utf8");
const python = await loadPyodide();

// Node's pipes do not block, and Pyodide would print again from the start when one is full: so collect first.
const printed = [];
python.setStdout({
  write: (bytes) => {
    printed.push(Buffer.from(bytes));
    return bytes.length;
  },
});
python.mountNodeFS("/work", process.cwd());
python.FS.chdir("/work");
try {
  python.runPython(code);
} finally {
  process.stdout.write(Buffer.concat(printed));
}
