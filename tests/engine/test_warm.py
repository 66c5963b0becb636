"""`glovebox run --warm` on whatever host this is: the pure cgroup v2 of the virtual machine too."""

import pytest

PROGRAMS = {"python": "print(6 * 7)", "javascript": "console.log(6 * 7)", "bash": "echo $((6 * 7))"}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_warm_cell_runs_its_program(glovebox, language):
    ended = glovebox("run", "--warm", "--json", "--language", language, "-c", PROGRAMS[language])
    result = ended.result
    assert (result["outcome"], result["stdout"]) == ("ok", "42\n"), ended
    degraded = "degraded" in result["provenance"]["enforced"]
    assert result["provenance"]["warm"] != degraded, "without exact limits there are no warm cells, with them there are"
    assert result["attempts"] == [{"path": "cold" if degraded else "warm", "outcome": "ok", "reason": None}]
