"""The service against its own document: each operation with hostile values for each parameter and each field."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.openapi_cases import Document
from support.service import Service

DOCUMENT = Document(Path(__file__).resolve().parents[2] / "contract/openapi.json")
OPERATIONS = {operation.name: operation for operation in DOCUMENT.operations()}
SHOWN = 10
# These would change the service under the other tests' feet; they are looked at by themselves.
SWITCHES = ("stopService", "resumeService")


@pytest.fixture(scope="module")
def guarded(glovebox_binary, tmp_path_factory):
    """A service with keys, so that every call has to show one."""
    running = Service(glovebox_binary, tmp_path_factory.mktemp("document") / "data", "--cold")
    running.all_scopes = running.make_key("tester", "run", "read", "admin")
    yield running
    assert running.end() == 0, running.lines


@pytest.fixture
def ask(guarded):
    connection = guarded.connect(guarded.all_scopes)
    yield connection
    connection.close()


def check(ask, operation, cases) -> None:
    faults = []
    count = 0
    for case in cases:
        count += 1
        answer = ask(operation.method, case.path, case.body, case.headers)
        if "connection" in answer.headers:
            ask.close()
        found = DOCUMENT.faults(operation, case, answer)
        faults += [f"{operation.name}, {case.about}: {each}" for each in found]
    assert count > 0
    assert not faults, f"{len(faults)} of {count}:\n" + "\n".join(faults[:SHOWN])


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in SWITCHES])
def test_hostile_values_are_refused_and_answers_keep_to_the_document(ask, name):
    operation = OPERATIONS[name]
    check(ask, operation, DOCUMENT.cases(operation))


@pytest.mark.parametrize("name", SWITCHES)
def test_the_switches_keep_to_the_document_too(ask, name):
    operation = OPERATIONS[name]
    try:
        check(ask, operation, DOCUMENT.cases(operation))
    finally:
        assert ask("POST", "/v1/admin/resume", {"reason": "the test is over"}).status == 200


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_asks_for_the_scopes_that_the_document_names(guarded, ask, name):
    operation = OPERATIONS[name]
    case = next(iter(DOCUMENT.cases(operation)))
    stranger = guarded.connect()
    status = stranger(operation.method, case.path, case.body, case.headers).status
    stranger.close()
    assert (status == 401) == bool(operation.scopes), status
    for scope in operation.scopes:
        others = [each for each in ("run", "read") if each != scope]  # admin includes them
        limited = guarded.connect(guarded.make_key("tester", *others))
        assert limited(operation.method, case.path, case.body, case.headers).status == 403
        limited.close()


def test_the_cases_would_notice(ask):
    """A judge that accepts everything would make the tests above worthless."""
    operation = OPERATIONS["listRuns"]
    case = next(case for case in DOCUMENT.cases(operation) if case.about == "limit = '-1'")
    assert case.valid is False
    answer = ask("GET", "/v1/runs")
    assert DOCUMENT.faults(operation, case, answer) == ["was accepted with 200"]
    answer.body = b'{"runs":[]}'
    good = next(iter(DOCUMENT.cases(operation)))
    assert "next_cursor" in DOCUMENT.faults(operation, good, answer)[0]
    answer.status = 302
    assert "not in the document" in DOCUMENT.faults(operation, good, answer)[0]
