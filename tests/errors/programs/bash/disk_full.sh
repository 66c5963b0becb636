set -e
head -c 20000000 /dev/zero > big.bin
