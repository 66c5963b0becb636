solve() { echo "three"; }
