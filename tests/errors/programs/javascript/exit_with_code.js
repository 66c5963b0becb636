console.error("bad input");
process.exit(3);
