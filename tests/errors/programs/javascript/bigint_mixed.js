console.log(10n + 1);
