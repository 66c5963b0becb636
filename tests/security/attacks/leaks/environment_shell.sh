# attack: prints the environment and the variables of the shell
# expect: outcome=ok
# expect-stdout: DONE
# forbid-stdout: GLOVEBOX_TEST_SECRET
# forbid-stdout: AWS_SECRET_ACCESS_KEY
env
set
export -p
echo DONE
