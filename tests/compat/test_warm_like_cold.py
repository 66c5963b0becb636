"""A program cannot tell a warm cell from a cold one by how it runs, ends or fails.

Each program runs once in a cold and once in a warm cell of the same caller, and the results are compared.
"""

from __future__ import annotations

import pytest

from support.modes import suite_modes
from support.needs import needs_command, needs_module
from warm_programs import BASH, JAVASCRIPT, PYTHON, SOLVE

# Each test makes the cold run itself.
pytestmark = pytest.mark.parametrize("mode", suite_modes((), ("warm-user", "warm")), indirect=True)


@pytest.mark.parametrize("name", PYTHON)
def test_python(both, name):
    cold, warm = both("python", PYTHON[name], artifacts=["**"])
    assert warm == cold


@pytest.mark.parametrize("name", BASH)
def test_bash(both, name):
    cold, warm = both("bash", BASH[name], args=["a b", "c"], stdin="one\ntwo", artifacts=["**"])
    assert warm == cold


@needs_command("node")
@pytest.mark.parametrize("name", JAVASCRIPT)
def test_javascript(both, name):
    cold, warm = both("javascript", JAVASCRIPT[name], args=["a b"], stdin="one\ntwo")
    assert warm == cold


# Node's threads count too. The keeper of a warm one's memory must not.
FULL = """
const threads = Number(require("fs").readFileSync("/proc/self/status", "utf8").match(/Threads:\\s+(\\d+)/)[1]);
for (let more = 64 - threads + BEYOND; more > 0; --more) {
  require("child_process").spawn("sleep", ["60"], { detached: true, stdio: "ignore" }).on("error", () => {}).unref();
}
setTimeout(() => console.log("all at once"), 300)
"""


@needs_command("node")
@pytest.mark.parametrize("beyond, outcome", [(0, "ok"), (1, "process_limit")])
def test_javascript_has_all_of_its_processes(both, beyond, outcome):
    cold, warm = both("javascript", FULL.replace("BEYOND", str(beyond)))
    assert (cold["outcome"], warm["outcome"]) == (outcome, outcome)


@pytest.mark.parametrize("name", SOLVE)
def test_solve(both, name):
    cold, warm = both(name.partition("_")[0], SOLVE[name], input=[2], args=["q"], artifacts=["**"])
    assert warm == cold


@needs_module("pandas", "matplotlib")
def test_data_programs(both):
    code = """
import sys
import numpy as np, pandas as pd, matplotlib, matplotlib.pyplot as plt
print(pd.DataFrame({"a": [1, 2]}).to_string(), matplotlib.get_backend(), plt.get_fignums(), np.geterr())
plt.plot([1, 2]); plt.savefig("plot.png")
np.array([1]) / 0
pd.DataFrame()["x"]
"""
    cold, warm = both("python", code, limits={"wall_ms": 30_000, "cpu_ms": 30_000})
    assert warm == cold
