import fs from "node:fs";
const path = require("path");
console.log(fs, path);
