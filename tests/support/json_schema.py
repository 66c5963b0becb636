"""The part of JSON Schema that contract/*.schema.json uses, and an error for everything else.

A keyword that is not known here raises instead of being ignored: a schema that grows must not pass unchecked.
"""

from __future__ import annotations

import json
from pathlib import Path

NOTES = {"$schema", "$id", "title", "description", "examples", "default"}
CHECKS = {"type", "enum", "required", "properties", "additionalProperties", "items", "minimum", "maximum"}
TYPES = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def load(path: Path) -> dict:
    return json.loads(path.read_text())


def violations(value, schema, where: str = "$") -> list[str]:
    """One line for each way in which the value does not follow the schema."""
    unknown = set(schema) - NOTES - CHECKS
    if unknown:
        raise ValueError(f"the schema uses {sorted(unknown)} at {where}, which this validator does not know")
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(TYPES[name](value) for name in names):
        return [f"{where}: {value!r} is not {' or '.join(names)}"]
    found = []
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is not one of {schema['enum']}")
    if TYPES["number"](value):
        if value < schema.get("minimum", value):
            found.append(f"{where}: {value} is less than {schema['minimum']}")
        if value > schema.get("maximum", value):
            found.append(f"{where}: {value} is more than {schema['maximum']}")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            found += violations(item, schema["items"], f"{where}[{index}]")
    if isinstance(value, dict):
        found += _object_violations(value, schema, where)
    return found


def _object_violations(value: dict, schema: dict, where: str) -> list[str]:
    found = [f"{where}: {name} is missing" for name in schema.get("required", []) if name not in value]
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in known:
            found += violations(item, known[name], f"{where}.{name}")
        elif others is False:
            found.append(f"{where}: {name} is unknown")
        elif isinstance(others, dict):
            found += violations(item, others, f"{where}.{name}")
    return found
