const x = 1;
console.log("a" + x;
