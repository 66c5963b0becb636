echo one
if true; then
  echo two
done
