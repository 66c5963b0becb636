const answer = await fetch("https://example.com/");
console.log(answer.status);
export {};
