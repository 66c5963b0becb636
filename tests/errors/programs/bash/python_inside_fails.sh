python3 -c 'print(undefined)'
