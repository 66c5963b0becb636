const row = { price: 1 };
console.log(row.item.name);
