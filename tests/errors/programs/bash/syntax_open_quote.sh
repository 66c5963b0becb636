echo "one
echo two
