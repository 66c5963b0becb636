set -euo pipefail
input=$1
echo "$input"
