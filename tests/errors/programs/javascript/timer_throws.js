setTimeout(() => {
  null.length;
}, 1);
