"""Ordinary shell programs in a cell."""

from __future__ import annotations

import pytest

from support.needs import needs_command


SHELL = {
    "text_pipeline": (
        "printf 'b 2\\na 1\\nb 3\\n' | grep -v '^#' | sort |\n"
        "  awk '{s[$1]+=$2} END {for (k in s) print k, s[k]}' | sort | sed 's/ /=/'\n",
        "a=1\nb=5\n",
    ),
    "counting": ("printf 'x\\ny\\nx\\n' | sort | uniq -c | sort -rn | head -1 | tr -s ' '\n", " 2 x\n"),
    "find_and_xargs": (
        "mkdir -p d/e; touch d/a.txt d/e/b.txt d/c.log; find d -name '*.txt' -print0 | xargs -0 -n1 basename | sort\n",
        "a.txt\nb.txt\n",
    ),
    "archives": (
        "echo data > f; tar czf a.tgz f; rm f; tar xzf a.tgz; cat f; echo zip | gzip -c | gzip -dc\n",
        "data\nzip\n",
    ),
    "here_documents": ("name=box\ncat <<EOF\nglove$name\nEOF\ncat <<< string\n", "glovebox\nstring\n"),
    "process_substitution": (
        "diff <(printf '1\\n2\\n') <(printf '1\\n3\\n'); cat < <(echo sub); echo tee | tee >(cat > /dev/null)\n",
        "2c2\n< 2\n---\n> 3\nsub\ntee\n",
    ),
    "background_jobs": (
        "for i in 1 2 3; do (sleep 0.1; exit $i) & pids+=($!); done\n"
        "for p in ${pids[@]}; do wait $p; echo -n \"$? \"; done; echo\n",
        "1 2 3 \n",
    ),
    "temporary_files": (
        "f=$(mktemp); d=$(mktemp -d); echo kept > $f; mv $f $d/x; cat $d/x\n"
        "rm -r $d; ls $d 2> /dev/null || echo gone\n",
        "kept\ngone\n",
    ),
    "traps_and_arithmetic": (
        "trap 'echo bye' EXIT\ndeclare -A m=([a]=1 [b]=2)\necho $((m[a] + m[b])) ${#m[@]}\n"
        "[[ abc =~ b(.) ]] && echo ${BASH_REMATCH[1]}\n",
        "3 2\nc\nbye\n",
    ),
    "pipeline_status": ("set -o pipefail\nfalse | true || echo \"failed ${PIPESTATUS[*]}\"\n", "failed 1 0\n"),
    "checksums_and_dates": (
        "printf x | sha256sum | cut -c1-8; date -u -d @0 +%F; seq 3 | paste -sd+; od -An -tx1 <<< A | tr -d ' '\n",
        "2d711642\n1970-01-01\n1+2+3\n410a\n",
    ),
    "calls_other_languages": (
        "/usr/bin/python3 -c 'print(6*7)'; cat > s.py <<< 'print(\"script\")'; /usr/bin/python3 s.py\n",
        "42\nscript\n",
    ),
    "executable_scripts": ("printf '#!/bin/sh\\necho ran $1\\n' > tool; chmod +x tool; ./tool well\n", "ran well\n"),
}


@pytest.mark.parametrize("name", SHELL)
def test_shell_works_with(run_well, name):
    code, expected = SHELL[name]
    stdout, _ = run_well("bash", code)
    assert stdout == expected


@needs_command("bc")
def test_shell_works_with_bc(run_well):
    stdout, _ = run_well("bash", "echo 'scale=5; 22/7' | bc\n")
    assert stdout == "3.14285\n"
