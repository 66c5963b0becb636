set -o pipefail
cat missing.txt | sort | head -1
