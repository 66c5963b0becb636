#!/usr/bin/python3
"""Puts contract/openapi.json and contract/tools/*.json together.

    tools/openapi/build.py            writes them
    tools/openapi/build.py --check    says which are out of date, and fails if one is

The parts are contract/openapi/**.yaml; the schemas of a run come from contract/run_*.schema.json, so that there is one
truth about them. Parts may hold two markers: {"$example": "results/ok"} becomes that file of contract/examples, and
{"$tools": "anthropic"} becomes that list of tools. The output depends on nothing but the inputs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import yaml

CONTRACT = Path(__file__).resolve().parents[2] / "contract"

# The schemas' own definitions get a name of their own in the document, because $defs of an inlined schema would not be
# found at the place its references point to.
DEFINITIONS = {
    "relative_path": "RelativePath", "file": "InputFile", "limits": "Limits", "expect": "Expect",
    "expected_artifact": "ExpectedArtifact", "expected_tests": "ExpectedTests", "cross_check": "CrossCheck",
}
TOOL_FORMATS = ("openai_chat", "openai_responses", "anthropic", "ollama")


def read_yaml(path: Path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_json(path: Path):
    return json.loads(path.read_text(encoding="utf-8"))


def with_component_references(node):
    """A schema whose references to its own $defs point into the document instead."""
    if isinstance(node, list):
        return [with_component_references(item) for item in node]
    if not isinstance(node, dict):
        return node
    rewritten = {}
    for key, value in node.items():
        if key == "$ref":
            value = "#/components/schemas/" + DEFINITIONS[value.removeprefix("#/$defs/")]
        rewritten[key] = with_component_references(value)
    return rewritten


def contract_schemas() -> dict:
    schemas = {}
    for name in ("run_request", "run_result"):
        schema = read_json(CONTRACT / f"{name}.schema.json")
        definitions = schema.pop("$defs", {})
        for key in ("$schema", "$id"):
            schema.pop(key)
        schemas[schema.pop("title")] = with_component_references(schema)
        for key, definition in definitions.items():
            schemas[DEFINITIONS[key]] = with_component_references(definition)
    return schemas


def strict_schema(schema: dict) -> dict:
    """The form that OpenAI's strict mode asks for: every object closed, every property required, optional ones null."""
    if schema["type"] == "object":
        properties = {}
        for name, value in schema["properties"].items():
            value = strict_schema(value)
            if name not in schema["required"]:
                value["type"] = [value["type"], "null"]
            properties[name] = value
        return {**schema, "properties": properties, "required": list(properties), "additionalProperties": False}
    if schema["type"] == "array":
        return {**schema, "items": strict_schema(schema["items"])}
    return dict(schema)


def tool_sets() -> dict:
    tool = read_yaml(CONTRACT / "tools/execute_code_sandbox.yaml")
    name, description = tool["name"], tool["description"]
    plain = {"type": "object", "properties": tool["properties"], "required": tool["required"]}
    strict = strict_schema(plain)
    function = {"name": name, "description": description}
    return {
        "openai_chat": [{"type": "function", "function": {**function, "parameters": strict, "strict": True}}],
        "openai_responses": [{"type": "function", **function, "parameters": strict, "strict": True}],
        "anthropic": [{**function, "input_schema": plain}],
        "ollama": [{"type": "function", "function": {**function, "parameters": plain}}],
    }


def with_markers_resolved(node, tools: dict):
    if isinstance(node, list):
        return [with_markers_resolved(item, tools) for item in node]
    if not isinstance(node, dict):
        return node
    if set(node) == {"$example"}:
        return read_json(CONTRACT / "examples" / (node["$example"] + ".json"))
    if set(node) == {"$tools"}:
        return tools if node["$tools"] == "all" else tools[node["$tools"]]
    return {key: with_markers_resolved(value, tools) for key, value in node.items()}


def document(tools: dict) -> dict:
    parts = CONTRACT / "openapi"
    paths = {}
    for name in ("runs", "batches", "policy", "blobs", "usage", "tools", "admin", "operations"):
        paths.update(read_yaml(parts / "paths" / f"{name}.yaml"))
    components = read_yaml(parts / "components.yaml")
    components["schemas"] = {**contract_schemas(), **read_yaml(parts / "schemas.yaml")}
    return with_markers_resolved({**read_yaml(parts / "api.yaml"), "paths": paths, "components": components}, tools)


def outputs() -> dict[Path, str]:
    tools = tool_sets()
    files = {CONTRACT / "openapi.json": document(tools)}
    for name in TOOL_FORMATS:
        files[CONTRACT / "tools" / f"{name}.json"] = tools[name]
    return {path: json.dumps(value, indent=2, ensure_ascii=False) + "\n" for path, value in files.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when something is out of date")
    check = parser.parse_args().check
    stale = []
    for path, text in outputs().items():
        if check:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(path)
        else:
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(CONTRACT.parent)} is out of date: run tools/openapi/build.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
