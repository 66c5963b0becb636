"""What the server keeps and counts: records, replays, usage, batches, approvals, the state of the kill switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, TypeVar

from .errors import InvalidReply
from .result import Artifact, AsyncArtifact, RunError, RunResult, build, build_list

A = TypeVar("A", Artifact, AsyncArtifact)
ParseResult = Callable[[Any], RunResult[A]]


@dataclass(frozen=True)
class RunSummary:
    """One line about a run. Times are RFC 3339."""

    run_id: str
    state: str
    created: str
    finished: Optional[str]
    task: Optional[str]
    language: str
    outcome: Optional[str]
    success: Optional[bool]
    error_code: Optional[str]
    wall_ms: Optional[float]
    cached: bool
    replay_of: Optional[str]


@dataclass(frozen=True)
class RunPage:
    runs: List[RunSummary]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class RunRecord(Generic[A]):
    """All that is kept of a run. `result` is None while it runs, and when it was interrupted."""

    run_id: str
    tenant: str
    state: str
    created: str
    finished: Optional[str]
    task: Optional[str]
    request: Mapping[str, Any]
    result: Optional[RunResult[A]]
    redactions: Mapping[str, int]
    replay_of: Optional[str]
    decision: Optional[Mapping[str, Any]] = None
    approval_id: Optional[str] = None


@dataclass(frozen=True)
class Difference:
    field: str
    recorded: Any
    replayed: Any
    diff: Optional[str] = None


@dataclass(frozen=True)
class Replay(Generic[A]):
    """verdict: equal, differs or image_changed."""

    verdict: str
    run_id: str
    replay_of: str
    differences: List[Difference]
    redacted_inputs: bool
    result: RunResult[A]


@dataclass(frozen=True)
class NumberedLine:
    line: int
    text: str
    failing: bool


@dataclass(frozen=True)
class PastAttempt:
    run_id: str
    outcome: str
    error: Optional[RunError]


@dataclass(frozen=True)
class RepairBrief:
    """What to send back to the model that wrote a failed program; `prompt` is all of it as text."""

    run_id: str
    language: str
    code: str
    outcome: str
    error: RunError
    repairable: bool
    file: Optional[str]
    failing_lines: List[NumberedLine]
    validation_failures: List[str]
    tried: List[PastAttempt]
    attempts_left: Optional[int]
    budget_left_ms: Optional[int]
    rule: str
    prompt: str


@dataclass(frozen=True)
class BatchResult(Generic[A]):
    """Results in the order of the requests."""

    batch_id: str
    results: List[RunResult[A]]
    ok: int
    failed: int


@dataclass(frozen=True)
class UsageBucket:
    start: str
    runs: int
    failed: int
    cached: int
    wall_ms: float
    cpu_ms: float
    output_bytes: int
    artifact_bytes: int


@dataclass(frozen=True)
class Usage:
    """`quota` has for each quota {"limit": …, "used": …}; a limit of None means there is none."""

    tenant: str
    buckets: List[UsageBucket]
    stored_bytes: int
    quota: Dict[str, Dict[str, Optional[int]]]


@dataclass(frozen=True)
class PolicyFinding:
    """One rule that something in the request meets. `line` and `column` are None when it is about the whole."""

    rule: str
    verdict: str
    subject: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    reason: str
    suggestion: Optional[str]
    layer: str
    profile: str
    approved: bool


@dataclass(frozen=True)
class PolicyDecision:
    """decision: allow, ask or deny. Findings have the strictest first."""

    decision: str
    policy: str
    findings: List[PolicyFinding]
    findings_left_out: int
    lowered_limits: Mapping[str, Mapping[str, int]]
    read: bool
    approved_by: Optional[str]


@dataclass(frozen=True)
class Approval:
    """A run that a policy asks a person about. state: pending, approved, rejected, used or expired.

    In a list, `detail` lacks "request" and "decision"; an approval that is looked up has them.
    """

    id: str
    state: str
    tenant: str
    run_id: str
    request_sha256: str
    policy: str
    created: str
    expires: str
    answered: Optional[str]
    answered_by: Optional[str]
    note: Optional[str]
    used_by: Optional[str]
    detail: Mapping[str, Any]
    asked_by: Optional[str] = None


@dataclass(frozen=True)
class AdminState:
    stopped: bool
    reason: Optional[str]
    since: Optional[str]
    by: Optional[str]


def _member(data: Any, name: str) -> Any:
    if not isinstance(data, Mapping) or name not in data:
        raise InvalidReply(f"{name} is missing")
    return data[name]


def parse_page(data: Any) -> RunPage:
    return build(RunPage, data, runs=build_list(RunSummary, _member(data, "runs")))


def parse_record(data: Any, parse_result: ParseResult[A]) -> RunRecord[A]:
    result = _member(data, "result")
    return build(RunRecord, data, result=None if result is None else parse_result(result))


def parse_replay(data: Any, parse_result: ParseResult[A]) -> Replay[A]:
    return build(
        Replay,
        data,
        differences=build_list(Difference, _member(data, "differences")),
        result=parse_result(_member(data, "result")),
    )


def parse_repair(data: Any) -> RepairBrief:
    tried = _member(data, "tried")
    if not isinstance(tried, list):
        raise InvalidReply("tried is not a list")
    return build(
        RepairBrief,
        data,
        error=build(RunError, _member(data, "error")),
        failing_lines=build_list(NumberedLine, _member(data, "failing_lines")),
        tried=[build(PastAttempt, past, error=_optional_error(_member(past, "error"))) for past in tried],
    )


def _optional_error(data: Any) -> Optional[RunError]:
    return None if data is None else build(RunError, data)


def parse_batch(data: Any, parse_result: ParseResult[A]) -> BatchResult[A]:
    results = _member(data, "results")
    if not isinstance(results, list):
        raise InvalidReply("results is not a list")
    return build(BatchResult, data, results=[parse_result(item) for item in results])


def parse_decision(data: Any) -> PolicyDecision:
    return build(PolicyDecision, data, findings=build_list(PolicyFinding, _member(data, "findings")))


def parse_approvals(data: Any) -> List[Approval]:
    return build_list(Approval, _member(data, "approvals"))


def parse_usage(data: Any) -> Usage:
    return build(Usage, data, buckets=build_list(UsageBucket, _member(data, "buckets")))
