"""What a policy asks a person about: asked where the client can, refused with the way to approve it where not."""

from __future__ import annotations

import json

import pytest

from support.mcp_client import HttpClient, message, modern_meta, modern_request, structured

ASKS = "import os\nos.chdir('/tmp')\nprint('changed')\n"
CALL = {"name": "execute_code_sandbox", "arguments": {"code": ASKS, "policy": "asking"}}
CAN = {"elicitation": {}}
YES = {"action": "accept", "content": {"approve": True}}
NOES = [{"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {"approve": False}}, {"action": "accept"}]


def modern_pipe(pipe, meta_capabilities, **more):
    body, _ = modern_request(None, "tools/call", {**CALL, **more}, meta_capabilities)
    return pipe.ask("tools/call", body["params"])


def test_a_yes_lets_it_run(start_pipe):
    client = start_pipe()
    client.initialize(capabilities=CAN)
    client.answer_question = lambda question: {"result": YES}
    result = client.ask("tools/call", CALL)["result"]
    assert structured(result)["stdout"] == "changed\n"
    question = client.asked[0]
    assert question["method"] == "elicitation/create"
    assert "os.chdir" in question["params"]["message"] and "changes_directory" in question["params"]["message"]
    assert question["params"]["requestedSchema"]["properties"]["approve"]["type"] == "boolean"


@pytest.mark.parametrize("answer", NOES)
def test_anything_else_does_not(start_pipe, answer):
    client = start_pipe()
    client.initialize(capabilities=CAN)
    client.answer_question = lambda question: {"result": answer}
    result = client.ask("tools/call", CALL)["result"]
    assert result["isError"] and structured(result)["outcome"] == "rejected" and len(client.asked) == 1


def test_an_error_is_no_yes(start_pipe):
    client = start_pipe()
    client.initialize(capabilities=CAN)
    client.answer_question = lambda question: {"error": {"code": -1, "message": "no"}}
    assert structured(client.ask("tools/call", CALL)["result"])["outcome"] == "rejected"


def test_an_approval_is_for_one_run(start_pipe):
    client = start_pipe()
    client.initialize(capabilities=CAN)
    client.answer_question = lambda question: {"result": YES}
    client.ask("tools/call", CALL)
    client.ask("tools/call", CALL)
    assert len(client.asked) == 2


def test_without_elicitation_the_refusal_names_the_approval_and_how_to_give_it(start_pipe):
    client = start_pipe()
    client.initialize()
    result = client.ask("tools/call", CALL)["result"]
    error = structured(result)["error"]
    assert error["code"] == "approval_needed" and "glovebox mcp --approve changes_directory" in error["hint"]
    client = start_pipe("--approve", "changes_directory")
    client.initialize()
    assert structured(client.ask("tools/call", CALL)["result"])["stdout"] == "changed\n"


def test_code_in_the_workspace_is_asked_about_too(start_pipe):
    client = start_pipe()
    client.initialize(capabilities=CAN)
    client.answer_question = lambda question: {"result": YES}
    client.tool("write_file", path="helper.py", content=ASKS)
    assert client.tool("execute_code_sandbox", code="import helper", policy="asking")["stdout"] == "changed\n"
    assert len(client.asked) == 1


def test_a_yes_is_for_what_was_asked_and_not_for_what_came_in_its_place(start_pipe):
    """The workspace is changed while the form is open: another program than the one that was shown."""
    client = start_pipe()
    client.initialize(capabilities=CAN)
    client.tool("write_file", path="helper.py", content=ASKS)
    call = {"name": "execute_code_sandbox", "arguments": {"code": "import helper", "policy": "asking"}}
    for swapped, outcome in ((False, "ok"), (True, "rejected")):
        identifier = client.send("tools/call", call)
        question = client.receive_any()
        assert question["method"] == "elicitation/create"
        if swapped:
            client.tool("write_file", path="helper.py", content=ASKS + "print('something else')")
        client.write({"jsonrpc": "2.0", "id": question["id"], "result": YES})
        assert structured(client.wait(identifier)["result"])["outcome"] == outcome


def test_the_stateless_eras_yes_is_for_what_was_asked_too(start_pipe):
    client = start_pipe()
    written = client.call("write_file", modern_meta(CAN), path="helper.py", content=ASKS)["result"]
    handle = written["structuredContent"]["workspace"]
    call = {"name": "execute_code_sandbox", "_meta": modern_meta(CAN),
            "arguments": {"code": "import helper", "policy": "asking", "workspace": handle}}  # fmt: skip
    asked = client.ask("tools/call", call)["result"]
    assert asked["resultType"] == "input_required"
    client.call("write_file", modern_meta(CAN), path="other.txt", content="x", workspace=handle)
    again = {**call, "requestState": asked["requestState"], "inputResponses": {"approval": YES}}
    assert client.ask("tools/call", again)["error"]["code"] == -32602


def test_cancelling_a_call_that_waits_for_a_person_ends_it(start_pipe):
    client = start_pipe()
    client.initialize(capabilities=CAN)
    identifier = client.send("tools/call", CALL)
    question = client.receive_any()
    client.write(message(None, "notifications/cancelled", {"requestId": identifier}))
    client.write({"jsonrpc": "2.0", "id": question["id"], "result": YES})  # too late
    assert client.ask("ping")["result"] == {}
    assert client.send("ping") and identifier not in client.early
    # The id is free again, which it is only once the call is over.
    client.write(message(identifier, "ping"))
    assert client.wait(identifier)["result"] == {}


class Stateless:
    """The stateless era, over a pipe or HTTP."""

    def __init__(self, ask):
        self.ask = ask

    def question(self, **more) -> dict:
        result = self.ask(more)["result"]
        assert result["resultType"] == "input_required", result
        request = result["inputRequests"]["approval"]
        assert request["method"] == "elicitation/create" and "os.chdir" in request["params"]["message"]
        return result


@pytest.fixture(params=["pipe", "http"])
def stateless(request, start_pipe):
    if request.param == "pipe":
        client = start_pipe()
        return Stateless(lambda more: modern_pipe(client, CAN, **more))
    client = HttpClient(request.getfixturevalue("service"))
    return Stateless(lambda more: client.modern("tools/call", {**CALL, **more}, CAN).json)


def test_the_stateless_era_asks_by_its_result(stateless):
    state = stateless.question()["requestState"]
    done = stateless.ask({"requestState": state, "inputResponses": {"approval": YES}})["result"]
    assert done["resultType"] == "complete" and structured(done)["stdout"] == "changed\n"


@pytest.mark.parametrize("answer", NOES)
def test_a_no_of_the_stateless_era_is_one(stateless, answer):
    state = stateless.question()["requestState"]
    done = stateless.ask({"requestState": state, "inputResponses": {"approval": answer}})["result"]
    assert structured(done)["outcome"] == "rejected"


def test_a_state_is_used_once(stateless):
    state = stateless.question()["requestState"]
    again = {"requestState": state, "inputResponses": {"approval": YES}}
    assert stateless.ask(again)["result"]["structuredContent"]["success"]
    assert stateless.ask(again)["error"]["code"] == -32602


def test_a_changed_state_is_refused(stateless):
    state = stateless.question()["requestState"]
    for wrong in (state + "x", "x" + state, state[:-1], state.replace(".", "-"), ""):
        answer = stateless.ask({"requestState": wrong, "inputResponses": {"approval": YES}})
        assert answer["error"]["code"] == -32602, wrong


def test_a_state_is_good_for_its_own_request(stateless):
    state = stateless.question()["requestState"]
    other = {"code": ASKS + "print('and more')", "policy": "asking"}
    answer = stateless.ask({"requestState": state, "inputResponses": {"approval": YES}, "arguments": other})
    assert answer["error"]["code"] == -32602


def test_an_answer_without_its_state_is_none(stateless):
    assert stateless.question(inputResponses={"approval": YES})["requestState"]


def test_a_state_without_its_answer_is_asked_again(stateless):
    state = stateless.question()["requestState"]
    assert stateless.question(requestState=state, inputResponses={"other": YES})["requestState"] != state


def test_a_stateless_client_that_cannot_be_asked_gets_the_refusal(service):
    client = HttpClient(service)
    never_asked = {**CALL, "arguments": {"code": ASKS + "print('never asked')", "policy": "asking"}}
    result = client.modern("tools/call", never_asked).json["result"]
    error = structured(result)["error"]
    assert result["resultType"] == "complete" and error["code"] == "approval_needed"
    assert "glovebox approvals approve" in error["hint"], error


def test_an_older_session_is_asked_on_its_stream(service):
    client = HttpClient(service)
    client.initialize(capabilities=CAN)
    connection, answer = client.open("POST", message(1, "tools/call", CALL))
    text = b""
    while b"elicitation/create" not in text or not text.endswith(b"\n\n"):
        text += answer.read1(4096)
    events = [line[6:] for line in text.decode().splitlines() if line.startswith("data: {")]
    question = json.loads(events[-1])
    assert client("POST", {"jsonrpc": "2.0", "id": question["id"], "result": YES}).status == 202
    rest = answer.read().decode()
    done = json.loads([line[6:] for line in rest.splitlines() if line.startswith("data: {")][-1])
    assert done["id"] == 1 and done["result"]["structuredContent"]["stdout"] == "changed\n"
    connection.close()


def test_a_key_that_may_only_run_does_not_approve_its_own_runs(start_service):
    """Whoever holds nothing but the right to run must not be the person that the policy asks."""
    service = start_service(config="[policy]\nself_approval = true\n")
    runs_only = HttpClient(service, service.make_key("agent", "run", "read"))
    approves = HttpClient(service, service.make_key("person", "run", "approve"))
    refused = runs_only.modern("tools/call", CALL, CAN).json["result"]
    assert structured(refused)["error"]["code"] == "approval_needed"
    asked = approves.modern("tools/call", CALL, CAN).json["result"]
    assert asked["resultType"] == "input_required"
    # Nor does the state that another caller was given help.
    stolen = {"requestState": asked["requestState"], "inputResponses": {"approval": YES}}
    other = HttpClient(service, service.make_key("person", "run", "approve"))
    assert other.modern("tools/call", {**CALL, **stolen}, CAN).json["error"]["code"] == -32602


def test_over_http_a_key_is_not_asked_about_its_own_runs(start_service):
    """The answer would come with the key of the question."""
    service = start_service()
    client = HttpClient(service, service.make_key("person", "run", "read", "approve"))
    result = client.modern("tools/call", CALL, CAN).json["result"]
    assert result["resultType"] == "complete" and structured(result)["error"]["code"] == "approval_needed"
