console.log(limit);
let limit = 3;
