echo start
if true; then
  echo two
fi
