// What nearly every program does, for a Node that waits to have done it once (wait.js). Its output goes nowhere.
'use strict';
console.log('text', 1, { name: 'x', list: [1, 2.5, 'three'] });
console.error('text');
