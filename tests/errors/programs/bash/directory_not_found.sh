set -e
cd /work/out
