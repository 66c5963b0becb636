"""Runs at the same time do not notice each other."""

from __future__ import annotations

import concurrent.futures

from support.command_line import cell_groups, gone_within, seconds

AT_ONCE = 20


def test_twenty_runs_at_once_keep_their_outputs_apart(glovebox, mode, token):
    groups = cell_groups(mode)

    def one(number: int):
        language = ("python", "bash", "javascript")[number % 3]
        code = {
            "python": "import sys\nfor _ in range(200): print(sys.argv[1], flush=True)\n"
            "open('f', 'w').write(sys.argv[1])\nsys.exit(int(sys.argv[1]))",
            "bash": 'for i in {1..200}; do echo "$1"; done; echo -n "$1" > f; exit "$1"',
            "javascript": "for (let i = 0; i < 200; ++i) console.log(process.argv[2]);\n"
            "require('fs').writeFileSync('f', process.argv[2]);\nprocess.exitCode = Number(process.argv[2]);",
        }[language]
        return glovebox(
            "run",
            "--json",
            "-l",
            language,
            "-c",
            code,
            "--collect",
            "f",
            "--timeout",
            "120s",
            "--cpu-time",
            "120s",
            "--",
            str(number),
            token,
        )

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        results = [ended.result for ended in pool.map(one, range(AT_ONCE))]
    for number, result in enumerate(results):
        assert result["stdout"] == f"{number}\n" * 200, result
        assert result["exit_code"] == number, result
        assert result["outcome"] == ("ok" if number == 0 else "program_failed")
        assert [artifact["bytes"] for artifact in result["artifacts"]] == [len(str(number))]
    assert len({result["run_id"] for result in results}) == AT_ONCE
    assert gone_within(token, 0.1)
    assert cell_groups(mode) == groups


def test_one_run_that_eats_everything_does_not_stop_another(glovebox):
    greedy = "import os\nfor _ in range(5): os.fork()\nwhile True: bytearray(b'x') * (1 << 20)"
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        hogs = [
            pool.submit(glovebox, "run", "--json", "-c", greedy, "--memory", "64M", "--timeout", seconds(0.6))
            for _ in range(2)
        ]
        modest = glovebox.result("python", "print(sum(range(10**5)))")
        assert (modest["outcome"], modest["stdout"]) == ("ok", "4999950000\n")
        for hog in hogs:
            assert hog.result().result["outcome"] in ("memory_limit", "cpu_limit", "process_limit", "timeout")
