const wait = (ms) => new Promise((resolve, reject) => setTimeout(() => reject(new Error("late")), ms));
await wait(5);
export {};
