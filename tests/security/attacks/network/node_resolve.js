// attack: looks up a name with Node's own resolver
// expect: outcome=ok
// expect-stdout: BLOCKED
// forbid-stdout: ESCAPED
// expect-denial: socket(AF_INET
require('dns').resolve4('c2VjcmV0.example.com', (error, addresses) => {
  console.log(error ? `BLOCKED ${error.code}` : `ESCAPED ${addresses}`);
  process.exit(0);
});
