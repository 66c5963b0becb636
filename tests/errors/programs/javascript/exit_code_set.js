process.exitCode = 9;
