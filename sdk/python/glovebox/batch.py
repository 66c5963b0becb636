"""Puts the events of a batch together again."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

from .errors import ConnectionFailed, InvalidReply
from .events import load, raise_error_event
from .progress import Progress, Reporter


class BatchCollector:
    """Events in; out comes the one object that a call without events answers."""

    def __init__(self, total: int, reporter: Reporter) -> None:
        self._results: List[Any] = [None] * total
        self._reporter = reporter
        self._done: Optional[Mapping[str, Any]] = None

    def take(self, name: str, data: str) -> None:
        value = load(data)
        if name == "error":
            raise_error_event(value)
        if not isinstance(value, dict):
            raise InvalidReply(f"an event {name} is not an object")
        if name == "progress":
            self._reporter.report(Progress.from_json(value))
        elif name == "result":
            index = value.get("index")
            if not isinstance(index, int) or not 0 <= index < len(self._results):
                raise InvalidReply("a result has no place in the batch")
            self._results[index] = value.get("result")
        elif name == "done":
            self._done = value

    def finish(self) -> Dict[str, Any]:
        if self._done is None:
            raise ConnectionFailed("the stream ended before the batch did")
        if any(result is None for result in self._results):
            raise InvalidReply("the batch ended without all of its results")
        return {**self._done, "results": self._results}
