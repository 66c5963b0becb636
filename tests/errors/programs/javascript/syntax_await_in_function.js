function load() {
  const x = await Promise.resolve(1);
  return x;
}
load();
