// The "solve" form: solve.js PROGRAM INPUT VALUE [ARGS...]
//
// Loads the user's program, calls its solve(input) with the JSON value in the file INPUT, awaits a promise, and
// writes the value as JSON to the file VALUE. solve may be a plain function of the program, module.exports.solve,
// module.exports itself, or an export of an ES module. Errors are printed the way Node prints them, without frames
// of this file.
'use strict';
const fs = require('fs');
const Module = require('module');
const vm = require('vm');

const [program, input_path, value_path, ...args] = process.argv.slice(2);
process.argv.splice(1, process.argv.length - 1, program, ...args);

class Refused extends Error {}

const kModuleOnly = /import statement outside a module|Unexpected token 'export'|import\.meta|await is only valid/;

async function load() {
  const source = fs.readFileSync(program, 'utf8').replace(/^#!.*/, '');
  try {
    // Alone first: a syntax error must be reported in the user's text, not in the line added below.
    vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: program });
  } catch (error) {
    if (!(error instanceof SyntaxError) || !kModuleOnly.test(error.message)) throw error;
    const exported = await import('file://' + program);
    return exported.solve ?? exported.default;
  }
  const main = new Module(program, null);
  main.filename = program;
  main.paths = Module._nodeModulePaths(require('path').dirname(program));
  require.main = process.mainModule = main;
  main._compile(source + "\n;if (typeof solve === 'function' && !module.exports.solve) module.exports.solve = solve;",
    program);
  return typeof main.exports === 'function' && !main.exports.solve ? main.exports : main.exports.solve;
}

// Throws for what JSON would silently drop or change: NaN, undefined, functions, symbols, BigInt, Map, Set, cycles.
function check(value, path, above) {
  const refuse = (what, advice) => {
    throw new Refused(`solve(input) returned ${what} at ${path}, which JSON cannot hold; ${advice}`);
  };
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(String(value), 'return null or a finite number');
  if (typeof value === 'bigint') refuse('a BigInt', 'return Number(value) or a string');
  if (typeof value === 'function' || typeof value === 'symbol') refuse(`a ${typeof value}`, 'return plain data');
  if (value === undefined) refuse('undefined', 'return null or a value');
  if (typeof value !== 'object' || value === null || typeof value.toJSON === 'function') return;
  if (value instanceof Map) refuse('a Map', 'return Object.fromEntries(map)');
  if (value instanceof Set) refuse('a Set', 'return [...set]');
  if (above.length > 200) refuse('a value nested deeper than 200 levels', 'return a flatter value');
  if (above.includes(value)) refuse('a value that contains itself', 'return plain data');
  above.push(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    for (let index = 0; index < value.length; ++index) check(value[index], `${path}[${index}]`, above);
  } else {
    for (const key of Object.keys(value)) {
      if (value[key] !== undefined) check(value[key], `${path}.${key}`, above);
    }
  }
  above.pop();
}

async function run() {
  const solve = await load();
  if (typeof solve !== 'function') {
    throw new Refused('the program defines no function solve(input); an ES module has to export it');
  }
  const value = await solve(JSON.parse(fs.readFileSync(input_path, 'utf8')));
  check(value, '$', []);
  const plain = (key, item) => (ArrayBuffer.isView(item) ? Array.from(item) : item);  // typed arrays are lists
  fs.writeFileSync(value_path, JSON.stringify(value, plain));
}

function report(error) {
  if (error instanceof Refused) {
    process.stderr.write(`${program}:1\n\n^\n\nTypeError: ${error.message}\n`);
    return;
  }
  if (!(error instanceof Error) || typeof error.stack !== 'string') {
    process.stderr.write(`${program}:1\n\n^\n${require('util').inspect(error)}\nThrown at: solve(input)\n`);
    return;
  }
  // A SyntaxError's stack already starts with the place and the caret line; other errors get theirs here.
  const lines = error.stack.split('\n').filter((line) => !line.includes(__filename));
  const [, line, column] = lines.join('\n').match(/\/glovebox\/main\.\w+:(\d+):(\d+)/) ?? [];
  if (line && !(error instanceof SyntaxError)) {
    const text = fs.readFileSync(program, 'utf8').split('\n')[line - 1] ?? '';
    process.stderr.write(`${program}:${line}\n${text}\n${' '.repeat(column - 1)}^\n\n`);
  }
  process.stderr.write(lines.join('\n') + '\n');
  if (error.cause !== undefined) process.stderr.write(`[cause]: ${require('util').inspect(error.cause)}\n`);
}

run().catch((error) => {
  report(error);
  process.exit(1);
});
