"""Every operation as a request to send, and every answer as a check: no network here, so both clients share it."""

from __future__ import annotations

import hashlib
import json
import random
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, Union
from urllib.parse import quote, urlencode

from .errors import ApiError, InvalidReply, Problem, api_error
from .request import Upload

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

# No answer in JSON is near this; a stream of events is bounded per event.
MAX_JSON_BYTES = 1 << 30
MAX_PROBLEM_BYTES = 1 << 20

TOOL_FORMATS = ("openai_chat", "openai_responses", "anthropic", "ollama")
MAX_BATCH = 10_000


@dataclass(frozen=True)
class Call:
    """One request. `repeatable`: sending it twice does no more than sending it once."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Union[None, bytes, Path] = None
    body_bytes: int = 0
    repeatable: bool = True
    least_timeout: float = 0.0

    def __post_init__(self) -> None:
        for name, value in self.headers.items():
            if not re.fullmatch(r"[\x20-\x7e]*", value):
                raise ValueError(f"{name} must be printable ASCII")


def _json_call(method: str, target: str, payload: Any, **more: Any) -> Call:
    body = json.dumps(payload, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode("utf-8")
    headers = {"Content-Type": JSON, "Accept": JSON, **more.pop("headers", {})}
    return Call(method, target, headers, body, len(body), **more)


def _segment(text: str) -> str:
    # A dot alone would be taken as a step in the path by whatever stands between.
    if not text or text in (".", ".."):
        raise ValueError(f"{text!r} is not a name")
    return quote(text, safe="")


def _query(parameters: Mapping[str, Any]) -> str:
    given = {name: value for name, value in parameters.items() if value is not None}
    return "?" + urlencode(given, quote_via=quote) if given else ""


def new_key() -> str:
    return secrets.token_hex(16)


def with_key(payload: Dict[str, Any], key: Optional[str]) -> Dict[str, Any]:
    """The payload with an idempotency key, unless the caller gave one."""
    if key is None or payload.get("idempotency_key"):
        return payload
    return {**payload, "idempotency_key": key}


def create_run(
    payload: Dict[str, Any], *, task: Optional[str], accept: str = JSON, respond_async: bool = False
) -> Call:
    headers = {"Accept": accept}
    if task is not None:
        headers["Glovebox-Task"] = task
    if respond_async:
        headers["Prefer"] = "respond-async"
    return _json_call(
        "POST",
        "/v1/runs",
        payload,
        headers=headers,
        repeatable=bool(payload.get("idempotency_key")),
        least_timeout=_wall_seconds(payload) + 60,
    )


def _wall_seconds(payload: Mapping[str, Any]) -> float:
    limits = payload.get("limits")
    wall_ms = limits.get("wall_ms") if isinstance(limits, Mapping) else None
    return max(wall_ms / 1000, 0.0) if isinstance(wall_ms, (int, float)) else 0.0


def create_batch(payload: Dict[str, Any], *, accept: str) -> Call:
    runs = payload["runs"]
    if len(runs) > MAX_BATCH:
        raise ValueError(f"a batch has at most {MAX_BATCH} runs")
    return _json_call(
        "POST",
        "/v1/batches",
        payload,
        headers={"Accept": accept},
        repeatable=all(run.get("idempotency_key") for run in runs),
        least_timeout=sum(map(_wall_seconds, runs)) + 60,
    )


def list_runs(parameters: Mapping[str, Any]) -> Call:
    return Call("GET", "/v1/runs" + _query(parameters))


def get_run(run_id: str) -> Call:
    return Call("GET", "/v1/runs/" + _segment(run_id))


def delete_run(run_id: str) -> Call:
    return Call("DELETE", "/v1/runs/" + _segment(run_id))


def cancel_run(run_id: str) -> Call:
    return Call("POST", f"/v1/runs/{_segment(run_id)}/cancel")


def replay_run(run_id: str) -> Call:
    return Call("POST", f"/v1/runs/{_segment(run_id)}/replay", repeatable=False)


def get_repair(run_id: str) -> Call:
    return Call("GET", f"/v1/runs/{_segment(run_id)}/repair")


def get_artifact(run_id: str, path: str) -> Call:
    segments = "/".join(map(_segment, path.split("/")))
    return Call("GET", f"/v1/runs/{_segment(run_id)}/artifacts/{segments}", {"Accept": "*/*"})


def head_blob(sha256: str) -> Call:
    return Call("HEAD", "/v1/blobs/" + _segment(sha256))


def get_blob(sha256: str) -> Call:
    return Call("GET", "/v1/blobs/" + _segment(sha256), {"Accept": "*/*"})


def checked_blob(sha256: str, body: bytes) -> bytes:
    if hashlib.sha256(body).hexdigest() != sha256:
        raise InvalidReply(f"the bytes are not those of {sha256}")
    return body


def put_blob(upload: Upload) -> Call:
    headers = {"Content-Type": "application/octet-stream", "Accept": JSON}
    return Call("PUT", "/v1/blobs/" + _segment(upload.sha256), headers, upload.source, upload.size)


def check_policy(payload: Dict[str, Any]) -> Call:
    return _json_call("POST", "/v1/policy/check", payload)


def list_approvals(parameters: Mapping[str, Any]) -> Call:
    return Call("GET", "/v1/approvals" + _query(parameters))


def get_approval(approval_id: str) -> Call:
    return Call("GET", "/v1/approvals/" + _segment(approval_id))


def answer_approval(approval_id: str, answer: str, note: str) -> Call:
    return _json_call(
        "POST", "/v1/approvals/" + _segment(approval_id), {"answer": answer, "note": note}, repeatable=False
    )


def waiting_run(answer: Any) -> Optional[str]:
    """The id of a run that a person has to approve first: the server does not keep the call open for that."""
    if isinstance(answer, dict) and answer.get("state") == "waiting" and isinstance(answer.get("run_id"), str):
        run_id: str = answer["run_id"]
        return run_id
    return None


def get_usage(parameters: Mapping[str, Any]) -> Call:
    return Call("GET", "/v1/usage" + _query(parameters))


def get_tools(format: Optional[str]) -> Call:
    if format is not None and format not in TOOL_FORMATS:
        raise ValueError(f"format must be one of {', '.join(TOOL_FORMATS)}")
    return Call("GET", "/v1/tools" + _query({"format": format}))


def admin(action: str, reason: str) -> Call:
    return _json_call("POST", "/v1/admin/" + action, {"reason": reason})


ADMIN_STATE = Call("GET", "/v1/admin/state")
HEALTH = Call("GET", "/healthz")


def parse_json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError as error:
        raise InvalidReply(f"the answer is not JSON: {error}") from error


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The exception for an answer that is none of the 2xx. `headers` have lower-case names."""
    try:
        data = json.loads(body)
    except ValueError:
        data = None
    return api_error(Problem.from_json(data, status), retry_after(headers))


def retry_after(headers: Mapping[str, str]) -> Optional[float]:
    value = headers.get("retry-after", "")
    return float(value) if re.fullmatch(r"[0-9]{1,9}", value) else None


@dataclass(frozen=True)
class RetryPolicy:
    """At most `retries` more tries, and never a wait longer than `max_wait_s`. Zero turns retrying off."""

    retries: int = 3
    max_wait_s: float = 60.0

    def delay(self, error: Exception, call: Call, attempt: int) -> Optional[float]:
        """Seconds to wait before trying again, or None to give up."""
        if attempt >= self.retries or not call.repeatable:
            return None
        # Some spread, so that clients who were refused together do not come back together.
        spread = random.uniform(0.0, 0.25)
        if isinstance(error, ApiError):
            # Somebody stopped the service on purpose, or the same program failed too often: that is not for a program to
            # wait out.
            if error.problem.code in ("stopped", "circuit_open"):
                return None
            if error.status not in (429, 503) or error.retry_after is None or error.retry_after > self.max_wait_s:
                return None
            return error.retry_after + spread
        return min(0.1 * (1 << attempt) + spread, self.max_wait_s)
