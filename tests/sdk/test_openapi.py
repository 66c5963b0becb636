"""The OpenAPI document and the tool definitions: up to date, sound in themselves, and with examples that hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
CONTRACT = REPOSITORY / "contract"
DOCUMENT = json.loads((CONTRACT / "openapi.json").read_text(encoding="utf-8"))
TOOL_FORMATS = ("openai_chat", "openai_responses", "anthropic", "ollama")
METHODS = ("get", "put", "post", "delete", "head")


def resolve(node):
    while "$ref" in node:
        target = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        node = target
    return node


def validator(schema):
    resolver = jsonschema.RefResolver("", DOCUMENT)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def operations():
    for path, item in DOCUMENT["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def walk(node, place="#"):
    yield place, node
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in children:
        yield from walk(value, f"{place}/{key}")


def media_types():
    """Every place that has a schema and examples of it: (where, schema, example)."""
    for place, node in walk(DOCUMENT):
        if not isinstance(node, dict) or "schema" not in node:
            continue
        if "example" in node:
            yield place, node["schema"], node["example"]
        for name, example in node.get("examples", {}).items():
            yield f"{place}/{name}", node["schema"], example["value"]


def operation_id(case):
    return case[2]["operationId"]


def tools(name):
    return json.loads((CONTRACT / "tools" / f"{name}.json").read_text(encoding="utf-8"))


def test_the_written_files_are_those_of_their_parts():
    built = subprocess.run(
        [sys.executable, REPOSITORY / "tools/openapi/build.py", "--check"], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr


def test_every_reference_leads_somewhere():
    references = [(place, node) for place, node in walk(DOCUMENT) if isinstance(node, dict) and "$ref" in node]
    assert len(references) > 100
    for place, node in references:
        assert isinstance(node["$ref"], str), place
        resolve(node)


@pytest.mark.parametrize("name", sorted(DOCUMENT["components"]["schemas"]))
def test_every_schema_is_a_schema(name):
    schema = DOCUMENT["components"]["schemas"][name]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$defs" not in schema


@pytest.mark.parametrize("place,schema,example", [pytest.param(*case, id=case[0]) for case in media_types()])
def test_every_example_is_valid(place, schema, example):
    validator(schema).validate(example)


def test_there_are_examples_for_nearly_everything_in_json():
    missing = []
    for path, method, operation in operations():
        contents = [operation["requestBody"]["content"]] if "requestBody" in operation else []
        contents += [resolve(response).get("content", {}) for response in operation["responses"].values()]
        for content in contents:
            for media_type, value in content.items():
                if media_type.endswith("json") and not ("example" in value or "examples" in value):
                    missing.append(f"{method} {path}")
    assert missing == ["get /openapi.json"]


@pytest.mark.parametrize("case", operations(), ids=operation_id)
def test_every_operation_explains_itself(case):
    path, method, operation = case
    for key in ("operationId", "summary", "description", "tags", "responses", "security"):
        assert key in operation, key
    assert re.fullmatch(r"[a-z][A-Za-z]+", operation["operationId"])
    for requirement in operation["security"]:
        assert set(requirement["api_key"]) <= {"run", "read", "approve", "metrics", "admin"}
    declared = {resolve(p)["name"] for p in DOCUMENT["paths"][path].get("parameters", []) if resolve(p)["in"] == "path"}
    assert declared == set(re.findall(r"{(\w+)}", path))
    for status, response in operation["responses"].items():
        response = resolve(response)
        assert response["description"], status
        if int(status) >= 400 and method != "head" and path != "/readyz":
            problem = response["content"]["application/problem+json"]["example"]
            assert problem["status"] == int(status)
            # What the HTTP server refuses by itself has no page of ours.
            assert problem["type"] in ("urn:glovebox:error:" + problem["code"], "about:blank")


def test_operation_ids_are_unique():
    names = [operation["operationId"] for _, _, operation in operations()]
    assert len(names) == len(set(names))


def test_the_codes_of_the_catalogue_have_their_status_among_the_answers():
    catalogue = json.loads((CONTRACT / "errors.json").read_text(encoding="utf-8"))["errors"]
    answers = DOCUMENT["paths"]["/v1/runs"]["post"]["responses"]
    for code, entry in catalogue.items():
        if code == "not_found":
            continue  # of what a request names by its id; a new run names nothing
        assert str(entry["http_status"]) in answers, code


def test_the_contracts_own_examples_hold_in_the_document():
    request = validator({"$ref": "#/components/schemas/RunRequest"})
    result = validator({"$ref": "#/components/schemas/RunResult"})
    for path in sorted((CONTRACT / "examples/requests").glob("*.json")):
        request.validate(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted((CONTRACT / "examples/results").glob("*.json")):
        result.validate(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted((CONTRACT / "examples/invalid").glob("*.json")):
        example = json.loads(path.read_text(encoding="utf-8"))
        if example["expected"].get("schema_refuses") and "request" in example:
            assert not request.is_valid(example["request"]), path.name


def test_the_outcomes_of_the_filter_are_those_of_a_result():
    parameters = {p["name"]: p for p in map(resolve, DOCUMENT["paths"]["/v1/runs"]["get"]["parameters"])}
    outcomes = DOCUMENT["components"]["schemas"]["RunResult"]["properties"]["outcome"]["enum"]
    assert parameters["outcome"]["schema"]["enum"] == outcomes


# The four shapes, to the letter: exactly these members, no other.
TOOL_SHAPES = {
    "openai_chat": {"type": "function", "function": {"name", "description", "parameters", "strict"}},
    "openai_responses": {"type": "function", "": {"type", "name", "description", "parameters", "strict"}},
    "anthropic": {"": {"name", "description", "input_schema"}},
    "ollama": {"type": "function", "function": {"name", "description", "parameters"}},
}


@pytest.mark.parametrize("name", TOOL_FORMATS)
def test_a_tool_has_the_shape_of_its_api(name):
    (tool,) = tools(name)
    shape = TOOL_SHAPES[name]
    if "" in shape:
        assert set(tool) == shape[""]
        function = tool
    else:
        assert set(tool) == {"type", "function"}
        function = tool["function"]
        assert set(function) == shape["function"]
    assert tool.get("type") == shape.get("type")
    assert function["name"] == "execute_code_sandbox"
    assert 100 < len(function["description"]) <= 1024
    schema = function["input_schema"] if name == "anthropic" else function["parameters"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"


@pytest.mark.parametrize("name", ("openai_chat", "openai_responses"))
def test_a_strict_tool_keeps_the_rules_of_strict_mode(name):
    (tool,) = tools(name)
    function = tool.get("function", tool)
    assert function["strict"] is True
    objects = 0
    for place, node in walk(function["parameters"]):
        if isinstance(node, dict) and node.get("type") == "object":
            objects += 1
            assert node["additionalProperties"] is False, place
            assert node["required"] == list(node["properties"]), place
    assert objects == 2


@pytest.mark.parametrize("name", ("anthropic", "ollama"))
def test_a_plain_tool_asks_for_language_and_code_only(name):
    (tool,) = tools(name)
    schema = tool["input_schema"] if name == "anthropic" else tool["function"]["parameters"]
    assert schema["required"] == ["language", "code"]
    known = {"type", "properties", "required", "description", "enum", "items"}
    for place, node in walk(schema):
        if isinstance(node, dict) and "type" in node and not place.endswith("/properties"):
            assert set(node) <= known, place
            assert isinstance(node["type"], str), place


def test_the_arguments_of_a_tool_are_a_request():
    full = {
        "language": "python",
        "code": "print(open('a.csv').read())",
        "stdin": "x",
        "files": [{"path": "a.csv", "content": "a\n1\n"}],
        "artifacts": ["*.png"],
    }
    request = validator({"$ref": "#/components/schemas/RunRequest"})
    for name in TOOL_FORMATS:
        (tool,) = tools(name)
        function = tool.get("function", tool)
        schema = function.get("parameters") or function["input_schema"]
        assert set(full) == set(schema["properties"])
        jsonschema.Draft202012Validator(schema).validate(full)
    request.validate(full)
