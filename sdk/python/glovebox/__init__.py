"""The client of a Glovebox server: runs programs that models wrote, sealed.

    import glovebox

    with glovebox.Client() as client:
        result = client.run("print(6 * 7)")
        print(result.stdout)

`Client` is for ordinary code and may be shared by threads; `AsyncClient` has the same methods as coroutines. Both read
GLOVEBOX_URL and GLOVEBOX_API_KEY. A program that fails is no exception: look at `result.outcome`, or call
`result.raise_for_outcome()`.

How it is made: `calls` turns every operation into a request and every answer into an object without touching the
network; `transport` and `async_transport` carry bytes; the two clients join them.
"""

from .async_client import AsyncClient, AsyncRunStream
from .client import Client, RunStream
from .errors import (
    ApiError,
    ConnectionFailed,
    GloveboxError,
    InvalidReply,
    NotFound,
    Problem,
    QuotaExceeded,
    RunFailed,
    Unavailable,
)
from .events import Event, OutputEvent, ResultEvent, StateEvent
from .records import (
    AdminState,
    Approval,
    BatchResult,
    Difference,
    NumberedLine,
    PastAttempt,
    PolicyDecision,
    PolicyFinding,
    RepairBrief,
    Replay,
    RunPage,
    RunRecord,
    RunSummary,
    Usage,
    UsageBucket,
)
from .request import Blob, Expect, Limits, RunRequest
from .result import (
    Artifact,
    AsyncArtifact,
    Attempt,
    Denial,
    Metrics,
    Output,
    Provenance,
    RunError,
    RunResult,
    Validation,
    ValidationCheck,
)

__version__ = "1.0.0"

__all__ = [
    "AdminState", "ApiError", "Approval", "Artifact", "AsyncArtifact", "AsyncClient", "AsyncRunStream", "Attempt",
    "BatchResult", "Blob", "Client", "ConnectionFailed", "Denial", "Difference", "Event", "Expect", "GloveboxError",
    "InvalidReply", "Limits", "Metrics", "NotFound", "NumberedLine", "Output", "OutputEvent", "PastAttempt",
    "PolicyDecision", "PolicyFinding", "Problem", "Provenance", "QuotaExceeded", "RepairBrief", "Replay", "ResultEvent",
    "RunError", "RunFailed", "RunPage", "RunRecord", "RunRequest", "RunResult", "RunStream", "RunSummary", "StateEvent",
    "Unavailable", "Usage", "UsageBucket", "Validation", "ValidationCheck",
]
