"""Server-sent events: the decoder, and what the events of a run are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Generic, List, NoReturn, Optional, Tuple, TypeVar, Union

from .errors import InvalidReply, Problem, api_error
from .result import Artifact, AsyncArtifact, RunResult

A = TypeVar("A", Artifact, AsyncArtifact)


class EventDecoder:
    """Bytes in, (event, data) pairs out, however the bytes were cut. One event is bounded in size."""

    def __init__(self, max_event_bytes: int) -> None:
        self._max = max_event_bytes
        self._buffer = bytearray()
        self._scanned = 0
        self._event = "message"
        self._data: List[str] = []
        self._data_bytes = 0

    def feed(self, chunk: bytes) -> List[Tuple[str, str]]:
        self._buffer += chunk
        events = []
        for line in self._take_lines():
            event = self._take_field(line)
            if event is not None:
                events.append(event)
        if len(self._buffer) + self._data_bytes > self._max:
            raise InvalidReply(f"an event is larger than {self._max} bytes")
        return events

    def _take_lines(self) -> List[bytes]:
        # The server ends lines with \n; the standard also knows \r\n and \r.
        lines = []
        begin = 0
        while True:
            end = self._buffer.find(b"\n", max(begin, self._scanned))
            if end < 0:
                break
            lines.extend(bytes(self._buffer[begin:end]).rstrip(b"\r").split(b"\r"))
            begin = end + 1
        del self._buffer[:begin]
        self._scanned = len(self._buffer)
        return lines

    def _take_field(self, line: bytes) -> Optional[Tuple[str, str]]:
        if not line:
            event, data = self._event, "\n".join(self._data)
            had_data = bool(self._data)
            self._event, self._data, self._data_bytes = "message", [], 0
            return (event, data) if had_data else None
        name, _, value = line.partition(b":")
        text = value[1:] if value.startswith(b" ") else value
        if name == b"event":
            self._event = text.decode("utf-8", "replace")
        elif name == b"data":
            self._data.append(text.decode("utf-8", "replace"))
            self._data_bytes += len(text)
        return None


@dataclass(frozen=True)
class StateEvent:
    """The run entered a state, such as preparing, running."""

    state: str


@dataclass(frozen=True)
class OutputEvent:
    """The program wrote something; `stream` is "stdout" or "stderr"."""

    stream: str
    text: str


@dataclass(frozen=True)
class ResultEvent(Generic[A]):
    """The last event."""

    result: RunResult[A]


Event = Union[StateEvent, OutputEvent, ResultEvent[A]]


def load(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise InvalidReply(f"an event is not JSON: {error}") from error


def raise_error_event(data: Any) -> NoReturn:
    status = data.get("status") if isinstance(data, dict) else None
    raise api_error(Problem.from_json(data, status if isinstance(status, int) else 500))


def parse_event(name: str, data: str, parse_result: Callable[[Any], RunResult[A]]) -> Optional[Event[A]]:
    """None for an event that this version does not know."""
    value = load(data)
    try:
        if name == "state":
            return StateEvent(value["state"])
        if name in ("stdout", "stderr"):
            return OutputEvent(name, value["data"])
    except (KeyError, TypeError) as error:
        raise InvalidReply(f"an event {name} is incomplete: {error}") from error
    if name == "result":
        return ResultEvent(parse_result(value))
    if name == "error":
        raise_error_event(value)
    return None
