const kept = [];
for (;;) {
  kept.push({ row: kept.length, text: "x".repeat(100) + kept.length });
}
