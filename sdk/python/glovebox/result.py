"""The result of a run, as the contract has it. Members that this version does not know are ignored."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import (
    Any,
    AsyncIterator,
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Type,
    TypeVar,
    Union,
)

from .errors import InvalidReply, RunFailed

T = TypeVar("T")
PathLike = Union[str, Path]


def build(cls: Type[T], data: Any, **made: Any) -> T:
    """A dataclass from a JSON object: `made` are the members that are objects themselves."""
    if not isinstance(data, Mapping):
        raise InvalidReply(f"{cls.__name__}: an object was expected, not {type(data).__name__}")
    values: Dict[str, Any] = dict(made)
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        if not field.init or field.name in values:
            continue
        if field.name in data:
            values[field.name] = data[field.name]
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise InvalidReply(f"{cls.__name__}: {field.name} is missing")
    return cls(**values)


def build_list(cls: Type[T], data: Any) -> List[T]:
    if not isinstance(data, list):
        raise InvalidReply(f"a list of {cls.__name__} was expected, not {type(data).__name__}")
    return [build(cls, item) for item in data]


@dataclass(frozen=True)
class RunError:
    """What a model or a person needs to mend the program."""

    code: str
    message: str
    type: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    traceback: Optional[str] = None
    hint: Optional[str] = None


@dataclass(frozen=True)
class Output:
    """A rich output; kind "value" is what solve(input) returned."""

    kind: str
    media_type: str
    value: Any


@dataclass(frozen=True)
class Metrics:
    wall_ms: float
    cpu_ms: float
    peak_memory_bytes: int
    peak_processes: int
    queue_ms: float
    setup_ms: float
    stages: Mapping[str, float]


@dataclass(frozen=True)
class ValidationCheck:
    """One expectation or test: where it stands in the request, and what came of it."""

    name: str
    passed: bool
    message: str


@dataclass(frozen=True)
class Validation:
    """What became of `expect`: not_requested, passed, failed or not_run."""

    status: str
    failures: List[str]
    checks: List[ValidationCheck]


@dataclass(frozen=True)
class Denial:
    """Something the wall refused, and the single grant that would allow it."""

    what: str
    target: str
    layer: str
    grant: str
    count: int


@dataclass(frozen=True)
class Provenance:
    code_sha256: str
    inputs_sha256: str
    image_digest: str
    policy: str
    isolation: str
    enforced: List[str]
    warm: bool


@dataclass(frozen=True)
class Attempt:
    path: str
    outcome: str
    reason: Optional[str] = None
    """What failed in the service itself; None when nothing did."""


def safe_destination(directory: PathLike, path: str) -> Path:
    """Where an artifact goes below `directory`. Its name was chosen by the program, so it is checked here too."""
    parts = path.split("/")
    tricks = "\0\\:" if os.name == "nt" else "\0"
    if any(part in ("", ".", "..") or any(trick in part for trick in tricks) for part in parts):
        raise ValueError(f"refusing to save an artifact as {path!r}")
    base = Path(directory).resolve()
    destination = base.joinpath(*PurePosixPath(path).parts)
    # A link that was there before must not lead out of the directory.
    if base not in (destination.parent.resolve() / destination.name).parents or destination.is_symlink():
        raise ValueError(f"refusing to save an artifact through a link: {destination}")
    return destination


class _Checked:
    """Counts and hashes an artifact's bytes; anything but the promised ones is an error."""

    def __init__(self, artifact: _ArtifactInfo) -> None:
        self._artifact = artifact
        self._left = artifact.bytes
        self._hash = hashlib.sha256()

    def take(self, chunk: bytes) -> bytes:
        self._left -= len(chunk)
        if self._left < 0:
            raise InvalidReply(f"{self._artifact.path}: more than the promised {self._artifact.bytes} bytes")
        self._hash.update(chunk)
        return chunk

    def finish(self) -> None:
        if self._left or self._hash.hexdigest() != self._artifact.sha256:
            raise InvalidReply(f"{self._artifact.path}: the bytes are not those that the result promised")


@dataclass(frozen=True)
class _ArtifactInfo:
    path: str
    bytes: int
    sha256: str
    media_type: str


@dataclass(frozen=True)
class Artifact(_ArtifactInfo):
    """A file that the program left. Its bytes are fetched when they are asked for, and checked against the hash."""

    _fetch: Optional[Callable[[str], Iterator[bytes]]] = dataclasses.field(default=None, repr=False, compare=False)

    def chunks(self) -> Iterator[bytes]:
        if self._fetch is None:
            raise ValueError("this artifact did not come from a client")
        checked = _Checked(self)
        for chunk in self._fetch(self.path):
            yield checked.take(chunk)
        checked.finish()

    def read(self) -> bytes:
        return b"".join(self.chunks())

    def save(self, directory: PathLike) -> Path:
        """Writes it below `directory` under its own path, and returns where. Existing files are replaced."""
        destination = safe_destination(directory, self.path)
        destination.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(destination) as file:
            for chunk in self.chunks():
                file.write(chunk)
        return destination


@dataclass(frozen=True)
class AsyncArtifact(_ArtifactInfo):
    """As `Artifact`, for AsyncClient."""

    _fetch: Optional[Callable[[str], AsyncIterator[bytes]]] = dataclasses.field(default=None, repr=False, compare=False)

    async def chunks(self) -> AsyncIterator[bytes]:
        if self._fetch is None:
            raise ValueError("this artifact did not come from a client")
        checked = _Checked(self)
        async for chunk in self._fetch(self.path):
            yield checked.take(chunk)
        checked.finish()

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])

    async def save(self, directory: PathLike) -> Path:
        """Writes it below `directory` under its own path, and returns where. Existing files are replaced."""
        destination = safe_destination(directory, self.path)
        destination.parent.mkdir(parents=True, exist_ok=True)
        with _replacing(destination) as file:
            async for chunk in self.chunks():
                file.write(chunk)
        return destination


class _replacing:
    """A file that takes its name only when all of it was written: a broken download leaves nothing behind."""

    def __init__(self, destination: Path) -> None:
        self._destination = destination
        self._partial = destination.with_name(destination.name[:200] + ".partial")

    def __enter__(self) -> Any:
        self._partial.unlink(missing_ok=True)
        self._file = open(self._partial, "xb")
        return self._file

    def __exit__(self, kind: Any, *_: Any) -> None:
        self._file.close()
        if kind is None:
            self._partial.replace(self._destination)
        else:
            self._partial.unlink(missing_ok=True)


A = TypeVar("A", Artifact, AsyncArtifact)


@dataclass(frozen=True)
class RunResult(Generic[A]):
    """How a run ended. `outcome` is the one word for it; `success` is True when nothing expected is missing."""

    run_id: str
    outcome: str
    success: bool
    stdout: str
    stderr: str
    stdout_bytes: int
    stderr_bytes: int
    stdout_truncated: bool
    stderr_truncated: bool
    exit_code: Optional[int]
    signal: Optional[str]
    error: Optional[RunError]
    artifacts: List[A]
    results: List[Output]
    metrics: Metrics
    validation: Validation
    denials: List[Denial]
    provenance: Provenance
    attempts: List[Attempt]
    cached: bool
    raw: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)
    """The object as it arrived, for storing or showing it."""

    @property
    def value(self) -> Any:
        """What solve(input) returned; None when the program had no solve."""
        for output in self.results:
            if output.kind == "value":
                return output.value
        return None

    def artifact(self, path: str) -> A:
        """The artifact with this path; KeyError when there is none."""
        for artifact in self.artifacts:
            if artifact.path == path:
                return artifact
        raise KeyError(path)

    def raise_for_outcome(self) -> RunResult[A]:
        """The result itself when the run was a success; otherwise RunFailed."""
        if not self.success:
            raise RunFailed(self)
        return self


def parse_result(data: Any, artifact: Callable[[str, Mapping[str, Any]], A]) -> RunResult[A]:
    """`artifact` makes one from the run's id and the JSON object, because only a client can fetch its bytes."""
    if not isinstance(data, Mapping) or not isinstance(data.get("run_id"), str):
        raise InvalidReply("a result was expected")
    try:
        return build(
            RunResult,
            data,
            error=None if data["error"] is None else build(RunError, data["error"]),
            artifacts=[artifact(data["run_id"], item) for item in data["artifacts"]],
            results=build_list(Output, data["results"]),
            metrics=build(Metrics, data["metrics"]),
            validation=build(
                Validation, data["validation"], checks=build_list(ValidationCheck, data["validation"]["checks"])
            ),
            denials=build_list(Denial, data["denials"]),
            provenance=build(Provenance, data["provenance"]),
            attempts=build_list(Attempt, data["attempts"]),
            raw=data,
        )
    except (KeyError, TypeError) as error:
        raise InvalidReply(f"the result is incomplete: {error}") from error
