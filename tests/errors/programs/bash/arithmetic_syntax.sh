set -e
total=$((3 +))
