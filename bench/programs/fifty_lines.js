const util = require("util");
const path = require("path");
const {createHash} = require("crypto");

function load(file, text) {
  console.log(util.format("%s: %d bytes", file, text.length));
  const [header, ...lines] = text.trim().split("\n");
  const names = header.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  });
}

function byRegion(rows) {
  const totals = new Map();
  for (const row of rows) {
    const before = totals.get(row.region) ?? 0;
    totals.set(row.region, before + Number(row.amount));
  }
  return [...totals.entries()].sort((a, b) => b[1] - a[1]);
}

class Report {
  constructor(rows) {
    this.rows = rows;
    this.lines = [];
  }

  add(name, value) {
    this.lines.push(`${name}: ${value.toFixed(2)}`);
  }

  render() {
    const amounts = this.rows.map((row) => Number(row.amount)).sort((a, b) => a - b);
    const sum = amounts.reduce((total, amount) => total + amount, 0);
    this.add("mean", sum / amounts.length);
    this.add("median", amounts[Math.floor(amounts.length / 2)]);
    this.add("largest", amounts[amounts.length - 1]);
    return this.lines.join("\n");
  }
}

const rows = load(path.join("data", "sales.csv"), "date,region,amount\n2026-01-01,north,1.5");
const regions = byRegion(rows);
const report = new Report(rows);
console.log(report.render());
const digest = createHash("sha256").update(JSON.stringify(regions)).digest("hex");
console.log(JSON.stringify({regions, digest, at: new Date().toISOString()}, null, 2));
