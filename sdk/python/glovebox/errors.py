"""What can go wrong, as exceptions.

    GloveboxError
    ├── ApiError           the server refused or failed; .problem is its structured answer
    │   ├── NotFound       404
    │   ├── QuotaExceeded  429, with .retry_after
    │   └── Unavailable    503, with .retry_after
    ├── ConnectionFailed   no answer: not reachable, hung up, timed out
    ├── InvalidReply       an answer that is not one of a Glovebox server
    └── RunFailed          only from raise_for_outcome(): the program did not end well
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from .result import RunError, RunResult


class GloveboxError(Exception):
    """The base of every exception of this package."""


@dataclass(frozen=True)
class Problem:
    """The body of a refusal (application/problem+json). `code` is stable; the texts are for people."""

    status: int
    code: str
    title: str = ""
    detail: str = ""
    type: str = ""
    field: Optional[str] = None
    hint: Optional[str] = None
    run_id: Optional[str] = None

    @classmethod
    def from_json(cls, data: Any, status: int) -> Problem:
        """Whatever the server sent: a proxy in between may answer something else, and that must be readable too."""
        if not isinstance(data, Mapping):
            return cls(status=status, code="unknown", title=f"HTTP {status}")

        def text(name: str) -> Optional[str]:
            value = data.get(name)
            return value if isinstance(value, str) else None

        return cls(
            status=status,
            code=text("code") or "unknown",
            title=text("title") or f"HTTP {status}",
            detail=text("detail") or "",
            type=text("type") or "",
            field=text("field"),
            hint=text("hint"),
            run_id=text("run_id"),
        )


class ApiError(GloveboxError):
    """The server refused the call, or failed."""

    def __init__(self, problem: Problem, retry_after: Optional[float] = None) -> None:
        self.problem = problem
        self.retry_after = retry_after
        """Seconds after which another try makes sense; None when the server did not say."""
        message = f"{problem.status} {problem.code}: {problem.detail or problem.title}"
        if problem.field:
            message += f" (field {problem.field})"
        if problem.hint:
            message += f"\n{problem.hint}"
        super().__init__(message)

    @property
    def status(self) -> int:
        return self.problem.status

    @property
    def code(self) -> str:
        return self.problem.code


class NotFound(ApiError):
    """There is no such run, artifact or blob."""


class QuotaExceeded(ApiError):
    """A quota of the tenant or the budget of the task is used up."""


class Unavailable(ApiError):
    """The server takes no work now: too much of it, stopped, or shutting down."""


def api_error(problem: Problem, retry_after: Optional[float] = None) -> ApiError:
    kinds = {404: NotFound, 429: QuotaExceeded, 503: Unavailable}
    return kinds.get(problem.status, ApiError)(problem, retry_after)


class ConnectionFailed(GloveboxError):
    """There was no answer. Whether the server acted on the request is unknown."""


class InvalidReply(GloveboxError):
    """The answer is not what the contract promises."""


class RunFailed(GloveboxError):
    """The run did not end well; `result` has everything, `error` what a model needs to mend the program."""

    def __init__(self, result: RunResult[Any]) -> None:
        self.result = result
        error = result.error
        message = result.outcome
        if error is not None:
            message += f": {error.type + ': ' if error.type else ''}{error.message}"
            if error.line is not None:
                message += f" (line {error.line})"
        super().__init__(message)

    @property
    def error(self) -> Optional[RunError]:
        return self.result.error
