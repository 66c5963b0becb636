"""What a run is asked for, and how its files get to the server: small ones in the request, large ones as blobs."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypedDict, Union

# Larger files are stored once under their hash instead of travelling with every request.
INLINE_BYTES = 1 << 20


class Limits(TypedDict, total=False):
    """What is left out has the server's default."""

    wall_ms: int
    cpu_ms: int
    memory_bytes: int
    disk_bytes: int
    inodes: int
    processes: int
    cpu_percent: int
    open_files: int
    output_bytes: int
    artifact_bytes: int
    artifact_file_bytes: int
    artifact_count: int
    input_bytes: int
    input_rows: int


class ExpectedArtifact(TypedDict, total=False):
    path: str
    exists: bool
    format: str
    min_bytes: int
    max_bytes: int
    rows: int
    min_rows: int
    max_rows: int
    columns: Sequence[str]
    has_columns: Sequence[str]
    width: int
    min_width: int
    max_width: int
    height: int
    min_height: int
    max_height: int
    pages: int
    min_pages: int
    max_pages: int
    sha256: str


class ExpectedCase(TypedDict, total=False):
    """solve(input) must give `expected`."""

    name: str
    input: Any
    expected: Any
    tolerance: float


class ExpectedProperty(TypedDict, total=False):
    """What must be true of solve for each of the inputs."""

    name: str
    property: str
    inputs: Sequence[Any]
    inverse: str
    tolerance: float


class ExpectedTests(TypedDict, total=False):
    cases: Sequence[ExpectedCase]
    properties: Sequence[ExpectedProperty]


class CrossCheck(TypedDict, total=False):
    """A second program that computes the same in another way."""

    language: str
    code: str
    compare: str
    tolerance: float


class Expect(TypedDict, total=False):
    """What the results must look like to count as a success."""

    stdout_json_schema: Mapping[str, Any]
    value_json_schema: Mapping[str, Any]
    artifacts: Sequence[ExpectedArtifact]
    invariants: Sequence[str]
    tests: ExpectedTests
    cross_check: CrossCheck


@dataclass(frozen=True)
class Blob:
    """Bytes that the server already has, by their SHA-256 in hexadecimal."""

    sha256: str


FileContent = Union[str, bytes, Path, Blob]
Files = Union[Mapping[str, FileContent], Iterable[Union[str, "os.PathLike[str]"]]]


class _NotGiven:
    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Any = _NotGiven()


@dataclass
class RunRequest:
    """One program to run. Members that are left alone are not sent, so the server's defaults hold.

    files: a mapping from the path in the work directory to the content (text as str, bytes, a Path on this machine, or
    a Blob); or a list of paths on this machine, each of which keeps its last name.
    input: any JSON value; the code then defines solve(input), and what it returns is `result.value`.
    network: host:port pairs that the program may reach.
    """

    code: str
    language: str = "python"
    stdin: str = ""
    args: Sequence[str] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: Files = ()
    input: Any = NOT_GIVEN
    limits: Optional[Limits] = None
    network: Sequence[str] = ()
    isolation: Optional[str] = None
    policy: Optional[str] = None
    artifacts: Sequence[str] = ()
    expect: Optional[Expect] = None
    cache: Optional[str] = None
    idempotency_key: Optional[str] = None
    deterministic: bool = False


@dataclass(frozen=True)
class Upload:
    """A blob that must be on the server before the request is sent."""

    sha256: str
    size: int
    source: Union[bytes, Path]


Runnable = Union[RunRequest, Mapping[str, Any], str]


def to_payload(request: Runnable) -> Tuple[Dict[str, Any], List[Upload]]:
    """The JSON of a request, and what has to be uploaded first. A mapping is the JSON itself, a str the code."""
    if isinstance(request, str):
        request = RunRequest(request)
    if isinstance(request, Mapping):
        return dict(request), []
    payload: Dict[str, Any] = {"language": request.language, "code": request.code}
    uploads: List[Upload] = []
    if request.files:
        payload["files"] = [_file(path, content, uploads) for path, content in _named_files(request.files)]
    if request.input is not NOT_GIVEN:
        payload["input"] = request.input
    if request.network:
        payload["network"] = {"allow": _texts(request.network, "network")}
    for name in ("args", "artifacts"):
        if getattr(request, name):
            payload[name] = _texts(getattr(request, name), name)
    for name in ("stdin", "env", "limits", "isolation", "policy", "expect", "cache", "deterministic"):
        value = getattr(request, name)
        if value:
            payload[name] = value
    if request.idempotency_key is not None:
        payload["idempotency_key"] = request.idempotency_key
    return payload, uploads


def _texts(values: Sequence[str], name: str) -> List[str]:
    # "*.png" is a sequence of five patterns, and never what was meant.
    if isinstance(values, str):
        raise TypeError(f"{name} must be a list of texts, not one text")
    return list(values)


def _named_files(files: Files) -> List[Tuple[str, FileContent]]:
    if isinstance(files, Mapping):
        return list(files.items())
    if isinstance(files, (str, bytes, os.PathLike)):
        raise TypeError("files must be a list of paths, or a mapping from names to contents")
    return [(Path(path).name, Path(path)) for path in files]


def _file(path: str, content: FileContent, uploads: List[Upload]) -> Dict[str, Any]:
    if isinstance(content, Blob):
        return {"path": path, "blob": "sha256:" + content.sha256}
    if isinstance(content, os.PathLike):
        content = Path(content)
        if content.stat().st_size > INLINE_BYTES:
            return _blob(path, upload_of(content), uploads)
        content = content.read_bytes()
    elif isinstance(content, str):
        content = content.encode("utf-8")
    elif not isinstance(content, (bytes, bytearray, memoryview)):
        raise TypeError(f"{path}: a file's content is str, bytes, Path or Blob, not {type(content).__name__}")
    data = bytes(content)
    if len(data) > INLINE_BYTES:
        return _blob(path, upload_of(data), uploads)
    try:
        return {"path": path, "content": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"path": path, "content": base64.b64encode(data).decode("ascii"), "encoding": "base64"}


def _blob(path: str, upload: Upload, uploads: List[Upload]) -> Dict[str, Any]:
    if all(known.sha256 != upload.sha256 for known in uploads):
        uploads.append(upload)
    return {"path": path, "blob": "sha256:" + upload.sha256}


def upload_of(source: Union[bytes, Path]) -> Upload:
    if isinstance(source, bytes):
        return Upload(hashlib.sha256(source).hexdigest(), len(source), source)
    digest = hashlib.sha256()
    size = 0
    with open(source, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
            size += len(chunk)
    return Upload(digest.hexdigest(), size, source)


# What a model may say through execute_code_sandbox. Grants and limits are the caller's to give, not the model's.
TOOL_ARGUMENTS = ("language", "code", "stdin", "files", "artifacts")


def from_tool_arguments(arguments: Union[str, Mapping[str, Any]]) -> Dict[str, Any]:
    """The JSON of a request from a model's tool call: its arguments as an object, or as the text that OpenAI sends."""
    values = json.loads(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(values, Mapping):
        raise ValueError("the arguments of the tool must be an object")
    unknown = sorted(set(values) - set(TOOL_ARGUMENTS))
    if unknown:
        raise ValueError(f"the tool has no argument {unknown[0]}")
    return {name: value for name, value in values.items() if value is not None}
