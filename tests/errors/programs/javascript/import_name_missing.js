import { readFileSink } from "node:fs";
console.log(readFileSink);
