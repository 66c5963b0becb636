#!/usr/bin/env bash
# Sums up the sales of each region.
set -euo pipefail

input=${1:-data/sales.csv}
output=out
total=0

fail() {
  echo "error: $1" >&2
  exit 1
}

check() {
  if [ ! -f "$input" ]; then
    fail "there is no $input"
  fi
  head -n 1 "$input" | grep -q '^date,region,amount$' || fail "the header is not what it should be"
}

regions() {
  tail -n +2 "$input" | cut -d, -f2 | sort | uniq
}

sum_of() {
  awk -F, -v region="$1" '$2 == region { sum += $3 } END { printf "%.2f\n", sum }' "$input"
}

check
mkdir -p "$output"
rm -f "$output/report.txt"

while read -r region; do
  sum=$(sum_of "$region")
  printf '%-12s %10s\n' "$region" "$sum" >> "$output/report.txt"
  total=$(echo "$total + $sum" | bc)
done < <(regions)

case "$total" in
  0) echo "nothing was sold" ;;
  -*) fail "the total is negative" ;;
  *) echo "total: $total" ;;
esac

sort -k2 -n -r "$output/report.txt" > "$output/sorted.txt"
cat <<EOF > "$output/summary.txt"
file: $input
total: $total
regions: $(wc -l < "$output/sorted.txt")
EOF
find "$output" -name '*.txt' -exec wc -l {} +
