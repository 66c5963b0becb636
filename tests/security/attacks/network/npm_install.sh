# attack: installs a package with npm
# expect: outcome=denied|program_failed
# needs: npm
# limits: wall_ms=30000 cpu_ms=20000 memory_bytes=536870912
npm install --no-audit --no-fund --fetch-retries=0 --registry=http://192.0.2.1/ left-pad || exit 1
echo ESCAPED
