"""A bar for batches, on a terminal and nowhere else."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, TextIO, Union

from .errors import InvalidReply


@dataclass(frozen=True)
class Progress:
    done: int
    total: int
    ok: int
    failed: int

    @classmethod
    def from_json(cls, data: Any) -> Progress:
        if not isinstance(data, Mapping):
            raise InvalidReply("a progress event is not an object")
        try:
            return cls(int(data["done"]), int(data["total"]), int(data["ok"]), int(data["failed"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidReply(f"a progress event is incomplete: {error}") from error


# True: a bar on standard error if that is a terminal. A function: called with every report.
ProgressOption = Union[bool, Callable[[Progress], None]]


class ProgressBar:
    WIDTH = 30

    def __init__(self, stream: Optional[TextIO] = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._begin = clock()
        self._drawn = False
        self._shown = self._stream.isatty()

    def __call__(self, progress: Progress) -> None:
        if not self._shown:
            return
        filled = self.WIDTH * progress.done // max(progress.total, 1)
        rate = progress.done / max(self._clock() - self._begin, 1e-3)
        bar = "█" * filled + "·" * (self.WIDTH - filled)
        text = f"\r{bar} {progress.done}/{progress.total}  {progress.failed} failed  {rate:.0f}/s"
        self._stream.write(text + "\x1b[K")
        self._stream.flush()
        self._drawn = True

    def finish(self) -> None:
        if self._drawn:
            self._stream.write("\n")
            self._stream.flush()


class Reporter:
    """What a client tells about a batch while it goes on."""

    def __init__(self, option: ProgressOption) -> None:
        self._bar = ProgressBar() if option is True else None
        self._call: Optional[Callable[[Progress], None]] = self._bar if self._bar else (option or None)  # type: ignore

    @property
    def wanted(self) -> bool:
        return self._call is not None

    def report(self, progress: Progress) -> None:
        if self._call is not None:
            self._call(progress)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.finish()
