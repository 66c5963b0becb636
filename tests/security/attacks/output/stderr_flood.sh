# attack: writes errors for ever
# expect: outcome=output_limit
# limits: output_bytes=65536
# expect-field: stderr_truncated=true
yes flood >&2
