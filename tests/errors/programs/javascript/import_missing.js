import chart from "chart.js";
console.log(chart);
