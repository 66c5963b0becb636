"""Real failing programs, and what a model and a person are told about each of them (X1, X2)."""

from __future__ import annotations

import pytest

from golden_program import LANGUAGES, PROGRAMS, load_all

GOLDEN = load_all()


@pytest.mark.parametrize("program", GOLDEN, ids=lambda program: program.id)
def test_a_failing_program_is_explained(mode, program):
    ended = mode.glovebox.run(program.request())
    assert ended.result is not None, ended.describe()
    assert not ended.unexpectedly_cold, ended.describe()
    complaints = program.complaints(ended.result)
    assert not complaints, "\n  ".join(["not as expected:", *complaints, ended.describe()])
    assert len(ended.result["attempts"]) == 1, "a program's own failure is no reason to try again"


def test_every_expectation_has_its_program():
    for expectation in PROGRAMS.glob("*/*.toml"):
        assert any(expectation.with_suffix(suffix).exists() for suffix in LANGUAGES), expectation


def test_there_are_enough_of_them():
    assert len(GOLDEN) >= 150
    assert {program.path.parent.name for program in GOLDEN} == set(LANGUAGES.values())
