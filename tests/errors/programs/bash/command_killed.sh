bash -c 'kill -SEGV $$'
