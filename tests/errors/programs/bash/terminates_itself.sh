kill -TERM $$
sleep 1
