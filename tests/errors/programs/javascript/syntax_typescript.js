const total: number = 3;
console.log(total);
