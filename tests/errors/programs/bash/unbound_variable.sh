set -u
echo "hello $NAME"
