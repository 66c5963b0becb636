// attack: prints the environment of Node
// expect: outcome=ok
// expect-stdout: DONE
// forbid-stdout: GLOVEBOX_TEST_SECRET
// forbid-stdout: AWS_SECRET_ACCESS_KEY
console.log(JSON.stringify(process.env), JSON.stringify(process.argv), process.cwd(), 'DONE');
