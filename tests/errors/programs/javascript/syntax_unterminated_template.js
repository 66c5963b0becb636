const name = `world;
console.log(name);
