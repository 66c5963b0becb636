try {
  JSON.parse("no");
} catch (error) {
  throw new Error("cannot read the settings", { cause: error });
}
