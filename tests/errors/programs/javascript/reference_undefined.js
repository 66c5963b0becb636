const rows = [1];
console.log(rowz.length);
