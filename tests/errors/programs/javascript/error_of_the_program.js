class ShortInput extends Error {
  constructor(message) {
    super(message);
    this.name = "ShortInput";
  }
}
throw new ShortInput("need 10 rows");
