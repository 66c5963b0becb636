echo start
frobnicate --all
