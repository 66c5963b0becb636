"""Hostile calls, made from the OpenAPI document: each parameter and each field of a body gets values that break its
schema and values at the edge of it. Also judges answers: a status, a type and a body that the document promises."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import jsonschema

METHODS = ("get", "put", "post", "delete", "head")
# What the HTTP server itself refuses, whatever the operation.
OF_HTTP = {400, 413, 414, 431}
MAX_DEPTH = 4

TEXTS = (
    "", " ", "x", "0", "-1", "null", "../..", "/etc/passwd", "a//b", ".", "a\\b", "%", "%00", "\x00", "a\nb", "\x1b[2J",
    "ü", "\u202e", "\ud800", "😀" * 100, "a" * 257, "A" * 5000, "run_" + "0" * 60, "run_" + "0" * 61, "0" * 64,
    "2026-02-30T00:00:00Z", "9999-12-31T23:59:59Z", "1-1", "99999999999999999999-1", "python", "';--", "${jndi:x}",
)  # fmt: skip
VALUES = (
    None, True, False, 0, -1, 1, 0.5, 1e308, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63), 10**400, [], {}, [[]], [None],
    [{}], {"": ""}, {"a": {"b": {}}}, [[[[[[[[[[]]]]]]]]]], *TEXTS,
)  # fmt: skip


@dataclass
class Case:
    """One call. `valid`: whether it keeps to the document; None: the document cannot say."""

    about: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    valid: bool | None = None


@dataclass
class Operation:
    method: str
    template: str
    spec: dict
    parameters: list[dict]

    @property
    def name(self) -> str:
        return self.spec["operationId"]

    @property
    def scopes(self) -> list[str]:
        return [scope for need in self.spec["security"] for scope in need.get("api_key", [])]


class Document:
    def __init__(self, path: Path):
        self.tree = json.loads(path.read_text(encoding="utf-8"))
        self.resolver = jsonschema.RefResolver("", self.tree)

    def resolve(self, node: dict) -> dict:
        while "$ref" in node:
            node = self.resolver.resolve(node["$ref"])[1]
        return node

    def errors(self, value, schema: dict) -> list[str]:
        validator = jsonschema.Draft202012Validator(schema, resolver=self.resolver)
        return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(value)]

    def operations(self) -> list[Operation]:
        found = []
        for template, item in self.tree["paths"].items():
            for method in METHODS:
                if method in item:
                    listed = item.get("parameters", []) + item[method].get("parameters", [])
                    found.append(
                        Operation(method.upper(), template, item[method], [self.resolve(each) for each in listed])
                    )
        return found

    # Cases.

    def cases(self, operation: Operation) -> Iterator[Case]:
        path = self._path(operation, {})
        body, headers = self._good_body(operation)
        yield Case("as the document shows it", path, body, headers, valid=True)
        # Whoever probes /healthz may add what it likes.
        unknown_is_wrong = operation.template.startswith("/v1/")
        yield Case("an unknown parameter", path + "?no_such_thing=1", body, headers, False if unknown_is_wrong else None)
        for parameter in operation.parameters:
            yield from self._parameter_cases(operation, parameter, path, body, headers)
        yield from self._body_cases(operation, path)

    def _path(self, operation: Operation, values: dict[str, str]) -> str:
        def fill(match):
            parameter = next(each for each in operation.parameters if each["name"] == match[1])
            return quote(values.get(match[1], str(parameter.get("example", "x"))).encode("utf-8", "surrogatepass"), safe="")

        return re.sub(r"\{(\w+)\}", fill, operation.template)

    def _parameter_cases(self, operation, parameter, path, body, headers) -> Iterator[Case]:
        name, schema = parameter["name"], parameter["schema"]
        for text in TEXTS:
            about = f"{name} = {text[:40]!r}"
            valid = self._text_is_valid(text, schema)
            sent = text.encode("utf-8", "surrogatepass")
            if parameter["in"] == "path":
                # An empty segment, or one that was "." before, is another path; the answer may be any refusal.
                yield Case(about, self._path(operation, {name: text}), body, headers, valid if text else None)
            elif parameter["in"] == "query":
                yield Case(about, f"{path}?{name}={quote(sent, safe='')}", body, headers, valid)
            elif not any(byte < 0x20 or byte > 0x7E for byte in sent) and text == text.strip():
                # A header of a standard that asks to ignore what is malformed cannot be wrong.
                lenient = "pattern" not in self.resolve(schema)
                yield Case(about, path, body, {**headers, name: text}, None if lenient or not text else valid)
        if parameter["in"] == "query":
            yield Case(f"{name} twice", f"{path}?{name}=1&{name}=1", body, headers, valid=False)

    def _text_is_valid(self, text: str, schema: dict) -> bool:
        value = text
        if self.resolve(schema).get("type") == "integer":
            if not re.fullmatch(r"[0-9]+", text):
                return False
            value = int(text)
        return not has_lone_surrogate(text) and not self.errors(value, schema)

    def _good_body(self, operation: Operation) -> tuple[bytes | None, dict[str, str]]:
        content = operation.spec.get("requestBody", {}).get("content", {})
        for media_type, entry in content.items():
            example = entry.get("example") or next(iter(entry.get("examples", {}).values()), {}).get("value")
            encoded = b"some bytes" if example is None else json.dumps(example).encode()
            return encoded, {"Content-Type": media_type}
        return None, {}

    def _body_cases(self, operation: Operation, path: str) -> Iterator[Case]:
        content = operation.spec.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return
        schema = content["application/json"]["schema"]
        good, headers = self._good_body(operation)
        for about, raw in (
            ("no body", b""), ("half a body", good[: len(good) // 2]), ("two bodies", good + good), ("an array", b"[]"),
            ("not UTF-8", b'{"\xff":1}'), ("NaN", b'{"x":NaN}'), ("deep", b"[" * 5000 + b"]" * 5000),
            ("a key twice", good[:-1] + b"," + good[1:]), ("a lone surrogate", rb'{"code":"\ud800"}'),
        ):  # fmt: skip
            yield Case(about, path, raw, headers, valid=False)
        yield Case("another media type", path, good, {"Content-Type": "text/xml"}, valid=False)
        example = json.loads(good)
        for place in self._places(schema, 0):
            for value in VALUES:
                changed = replaced(example, place, value)
                encoded = json.dumps(changed).encode()
                about = f"{'.'.join(map(str, place))} = {str(value)[:40]!r}"
                valid = not has_lone_surrogate(value) and not self.errors(changed, schema)
                yield Case(about, path, encoded, headers, valid)

    def _places(self, schema: dict, depth: int) -> Iterator[tuple]:
        """Every field of an object of this schema, as a path; elements of arrays by the index 0."""
        schema = self.resolve(schema)
        if depth > MAX_DEPTH:
            return
        for name, part in schema.get("properties", {}).items():
            yield (name,)
            for rest in self._places(part, depth + 1):
                yield (name, *rest)
        if isinstance(schema.get("items"), dict):
            yield (0,)
            for rest in self._places(schema["items"], depth + 1):
                yield (0, *rest)
        for part in schema.get("oneOf", []):
            yield from self._places(part, depth + 1)

    # Answers.

    def faults(self, operation: Operation, case: Case, answer) -> list[str]:
        """What is wrong with the answer."""
        declared = operation.spec["responses"]
        if case.valid is False and not 400 <= answer.status < 500:
            return [f"was accepted with {answer.status}"]
        if answer.status >= 500:
            return [f"is a server error: {answer}"]
        described = declared.get(str(answer.status))
        if described is None:
            return [] if answer.status in OF_HTTP else [f"answers {answer.status}, which is not in the document"]
        content = self.resolve(described).get("content", {})
        if operation.method == "HEAD" or not content:
            return [] if not answer.body else ["has a body that the document does not know"]
        media_type = answer.headers.get("content-type", "").partition(";")[0]
        if media_type not in content and "*/*" not in content:
            return [f"answers with {media_type}"]
        if not media_type.endswith("json") or "*/*" in content:
            return []
        return [f"answers against its schema: {each}" for each in self.errors(answer.json, content[media_type]["schema"])]


def has_lone_surrogate(value) -> bool:
    """JSON can spell what no text can hold."""
    return isinstance(value, str) and any(0xD800 <= ord(letter) < 0xE000 for letter in value)


def replaced(example, place: tuple, value):
    """A copy with one field set, whatever has to be made on the way."""
    top = copy.deepcopy(example)
    node = top
    for step, following in zip(place, place[1:] + (None,)):
        last = following is None
        fresh = value if last else ([] if isinstance(following, int) else {})
        if isinstance(step, int):
            if not isinstance(node, list):
                return top
            if not node:
                node.append(fresh)
            elif last or not isinstance(node[0], type(fresh)):
                node[0] = fresh
            node = node[0]
        else:
            if not isinstance(node, dict):
                return top
            if last or not isinstance(node.get(step), type(fresh)):
                node[step] = fresh
            node = node[step]
    return top
