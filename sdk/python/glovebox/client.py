"""The client for ordinary code. `async_client.py` is its twin: what one can do, the other can."""

from __future__ import annotations

import os
import ssl
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import calls, records
from .batch import BatchCollector
from .calls import EVENT_STREAM, JSON, MAX_JSON_BYTES, MAX_PROBLEM_BYTES, Call, RetryPolicy
from .errors import ApiError, ConnectionFailed, InvalidReply
from .events import Event, EventDecoder, ResultEvent, parse_event
from .progress import ProgressOption, Reporter
from .records import (
    AdminState,
    Approval,
    BatchResult,
    PolicyDecision,
    RepairBrief,
    Replay,
    RunPage,
    RunRecord,
    RunSummary,
    Usage,
)
from .request import (
    NOT_GIVEN,
    Expect,
    Files,
    Limits,
    Runnable,
    RunRequest,
    Upload,
    from_tool_arguments,
    to_payload,
    upload_of,
)
from .result import Artifact, RunResult, build, parse_result
from .server_url import parse_url
from .transport import Response, Transport

Result = RunResult[Artifact]


class RunStream:
    """A run while it goes on: an iterator over its events. Leaving it early hangs up, and that cancels the run."""

    def __init__(self, client: Client, response: Response) -> None:
        self._client = client
        self._response = response
        self.run_id: Optional[str] = response.headers.get("glovebox-run-id")
        self.result: Optional[Result] = None
        """Set when the last event has arrived."""

    def __iter__(self) -> Iterator[Event[Artifact]]:
        decoder = EventDecoder(MAX_JSON_BYTES)
        try:
            for chunk in self._response.chunks():
                for name, data in decoder.feed(chunk):
                    event = parse_event(name, data, self._client._result)
                    if isinstance(event, ResultEvent):
                        self.result = event.result
                    if event is not None:
                        yield event
            if self.result is None:
                raise ConnectionFailed("the stream ended before the result")
        finally:
            self.close()

    def cancel(self) -> None:
        """Stops the run; the result, with what was written so far, still arrives."""
        if self.run_id is None:
            raise InvalidReply("the server did not say which run this is")
        self._client.cancel(self.run_id)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> RunStream:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Client:
    """Talks to one server. May be shared by threads; close it, or use it in a with statement.

    base_url: http://…, https://… or unix:///path; default: GLOVEBOX_URL, else http://127.0.0.1:7070
    api_key:  default: GLOVEBOX_API_KEY
    timeout:  seconds without a byte from the server after which a call fails; a run waits at least for its wall limit
    retries:  how often a call that was refused with Retry-After, or whose connection broke, is sent again. Runs get an
              idempotency key for that, so that they are executed once. 0 turns both off.
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        timeout: float = 600.0,
        retries: int = 3,
        max_retry_wait: float = 60.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._transport = Transport(parse_url(base_url), timeout, ssl_context)
        self._retry = RetryPolicy(retries, max_retry_wait)
        key = api_key if api_key is not None else os.environ.get("GLOVEBOX_API_KEY")
        self._headers = {"User-Agent": "glovebox-python/1.0.0", **({"Authorization": f"Bearer {key}"} if key else {})}

    # Running

    def run(
        self,
        code: str,
        *,
        language: str = "python",
        files: Files = (),
        stdin: str = "",
        args: Sequence[str] = (),
        env: Optional[Mapping[str, str]] = None,
        input: Any = NOT_GIVEN,
        limits: Optional[Limits] = None,
        network: Sequence[str] = (),
        isolation: Optional[str] = None,
        policy: Optional[str] = None,
        artifacts: Sequence[str] = (),
        expect: Optional[Expect] = None,
        cache: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        deterministic: bool = False,
        task: Optional[str] = None,
    ) -> Result:
        """Runs a program and returns how it ended. See `RunRequest` for what the arguments mean."""
        request = RunRequest(
            code, language, stdin, args, env or {}, files, input, limits, network, isolation, policy, artifacts, expect,
            cache, idempotency_key, deterministic,
        )
        return self.run_request(request, task=task)

    def run_request(self, request: Runnable, *, task: Optional[str] = None) -> Result:
        """As run(), for a request that was made before: a RunRequest, or the JSON object of the contract."""
        answer = self._json(calls.create_run(self._payload(request), task=task))
        waiting = calls.waiting_run(answer)
        return self._result(answer) if waiting is None else self._approved(waiting)

    def run_tool(
        self,
        arguments: Union[str, Mapping[str, Any]],
        *,
        limits: Optional[Limits] = None,
        task: Optional[str] = None,
    ) -> Result:
        """Runs what a model asked for through execute_code_sandbox. Limits are the caller's, never the model's."""
        payload = from_tool_arguments(arguments)
        if limits:
            payload["limits"] = dict(limits)
        return self.run_request(payload, task=task)

    def stream(self, request: Runnable, *, task: Optional[str] = None) -> RunStream:
        """Runs a program and yields its events as they happen; the last one has the result."""
        response = self._open(calls.create_run(self._payload(request), task=task, accept=EVENT_STREAM))
        return RunStream(self, response)

    def submit(self, request: Runnable, *, task: Optional[str] = None) -> str:
        """Starts a run and returns its id at once. wait() or get() tell what became of it."""
        answer = self._json(calls.create_run(self._payload(request), task=task, respond_async=True))
        run_id = answer.get("run_id") if isinstance(answer, dict) else None
        if not isinstance(run_id, str):
            raise InvalidReply("the server did not say which run this is")
        return run_id

    def wait(self, run_id: str, *, timeout: float = 600.0) -> RunRecord[Artifact]:
        """Waits until a run neither runs nor waits for approval any more; TimeoutError when that takes longer."""
        end = time.monotonic() + timeout
        pause = 0.02
        while True:
            record = self.get(run_id)
            if record.state not in ("running", "waiting"):
                return record
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{run_id} is still running")
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 1.0)

    def batch(
        self,
        requests: Sequence[Runnable],
        *,
        task: Optional[str] = None,
        stop_on_failure: bool = False,
        concurrency: Optional[int] = None,
        progress: ProgressOption = False,
    ) -> BatchResult[Artifact]:
        """Runs many programs. progress=True draws a bar if stderr is a terminal; a function gets every report."""
        runs = self._payloads(requests)
        payload: Dict[str, Any] = {"runs": runs, "stop_on_failure": stop_on_failure}
        if task is not None:
            payload["task"] = task
        if concurrency is not None:
            payload["concurrency"] = concurrency
        reporter = Reporter(progress)
        if not reporter.wanted:
            return records.parse_batch(self._json(calls.create_batch(payload, accept=JSON)), self._result)
        response = self._open(calls.create_batch(payload, accept=EVENT_STREAM))
        collected = BatchCollector(len(runs), reporter)
        decoder = EventDecoder(MAX_JSON_BYTES)
        try:
            for chunk in response.chunks():
                for name, data in decoder.feed(chunk):
                    collected.take(name, data)
        finally:
            response.close()
            reporter.finish()
        return records.parse_batch(collected.finish(), self._result)

    def cancel(self, run_id: str) -> None:
        """Stops a running run. ApiError with status 409 when it is not running."""
        self._json(calls.cancel_run(run_id))

    # Looking back

    def get(self, run_id: str) -> RunRecord[Artifact]:
        return records.parse_record(self._json(calls.get_run(run_id)), self._result)

    def list(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
        outcome: Optional[str] = None,
        language: Optional[str] = None,
        task: Optional[str] = None,
        state: Optional[str] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
    ) -> RunPage:
        """One page of runs, the newest first. Times are RFC 3339."""
        parameters = dict(limit=limit, cursor=cursor, outcome=outcome, language=language)
        parameters.update(task=task, state=state, since=since, until=until)
        return records.parse_page(self._json(calls.list_runs(parameters)))

    def iterate(self, **conditions: Any) -> Iterator[RunSummary]:
        """Every run that list() would find, page after page."""
        while True:
            page = self.list(**conditions)
            yield from page.runs
            if page.next_cursor is None:
                return
            conditions["cursor"] = page.next_cursor

    def delete(self, run_id: str) -> None:
        self._send(calls.delete_run(run_id))

    def replay(self, run_id: str) -> Replay[Artifact]:
        """Runs a recorded run again and says what differs."""
        return records.parse_replay(self._json(calls.replay_run(run_id)), self._result)

    def repair_brief(self, run_id: str) -> RepairBrief:
        """What to send back to the model that wrote a failed program."""
        return records.parse_repair(self._json(calls.get_repair(run_id)))

    def usage(self, *, start: Optional[str] = None, end: Optional[str] = None, bucket: Optional[str] = None) -> Usage:
        """What was used from `start` to `end` (RFC 3339) per "hour" or "day"."""
        return records.parse_usage(self._json(calls.get_usage({"from": start, "to": end, "bucket": bucket})))

    # Policy

    def check_policy(self, request: Runnable) -> PolicyDecision:
        """What the policy says about a request, without running it."""
        payload, _ = to_payload(request)
        return records.parse_decision(self._json(calls.check_policy(payload)))

    def approvals(self, *, state: Optional[str] = "pending", limit: Optional[int] = None) -> List[Approval]:
        """Runs that a policy asks a person about, the newest first. state=None: answered ones too."""
        return records.parse_approvals(self._json(calls.list_approvals(dict(state=state, limit=limit))))

    def approval(self, approval_id: str) -> Approval:
        return build(Approval, self._json(calls.get_approval(approval_id)))

    def approve(self, approval_id: str, note: str = "") -> Approval:
        """Lets it run, once. Needs the scope approve; ApiError with status 409 when somebody else was faster."""
        return build(Approval, self._json(calls.answer_approval(approval_id, "approve", note)))

    def reject(self, approval_id: str, note: str = "") -> Approval:
        return build(Approval, self._json(calls.answer_approval(approval_id, "reject", note)))

    # Blobs, tools, administration

    def upload(self, source: Union[bytes, str, "os.PathLike[str]"]) -> str:
        """Stores bytes, or a file named by its path, and returns the SHA-256 for `Blob`."""
        upload = upload_of(source if isinstance(source, bytes) else Path(source))
        self._upload([upload])
        return upload.sha256

    def download(self, sha256: str) -> bytes:
        return calls.checked_blob(sha256, self._send(calls.get_blob(sha256)))

    def tools(self, format: Optional[str] = None) -> Any:
        """Tool definitions: a list for "openai_chat", "openai_responses", "anthropic" or "ollama"; else all by name."""
        return self._json(calls.get_tools(format))

    def health(self) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = self._json(calls.HEALTH)
        return answer

    def stop(self, reason: str) -> AdminState:
        """The kill switch: running runs die, new ones are refused. Needs the scope admin."""
        return build(AdminState, self._json(calls.admin("stop", reason)))

    def resume(self, reason: str) -> AdminState:
        return build(AdminState, self._json(calls.admin("resume", reason)))

    def state(self) -> AdminState:
        return build(AdminState, self._json(calls.ADMIN_STATE))

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # How it is done

    def _approved(self, run_id: str) -> Result:
        record = self.wait(run_id)
        if record.result is None:
            raise InvalidReply(f"{run_id} was cut off while it waited for approval")
        return record.result

    def _payload(self, request: Runnable) -> Dict[str, Any]:
        payload, uploads = to_payload(request)
        self._upload(uploads)
        return calls.with_key(payload, calls.new_key() if self._retry.retries else None)

    def _payloads(self, requests: Sequence[Runnable]) -> List[Dict[str, Any]]:
        key = calls.new_key() if self._retry.retries else None
        payloads = []
        stored: Dict[str, Upload] = {}
        for index, request in enumerate(requests):
            payload, uploads = to_payload(request)
            self._upload([upload for upload in uploads if upload.sha256 not in stored])
            stored.update((upload.sha256, upload) for upload in uploads)
            payloads.append(calls.with_key(payload, key and f"{key}-{index}"))
        return payloads

    def _upload(self, uploads: Sequence[Upload]) -> None:
        for upload in uploads:
            try:
                self._send(calls.head_blob(upload.sha256))
            except ApiError:
                # Not stored, or not ours to ask: then it is sent, and the answer to that counts.
                self._send(calls.put_blob(upload))

    def _result(self, data: Any) -> Result:
        return parse_result(data, self._artifact)

    def _artifact(self, run_id: str, data: Mapping[str, Any]) -> Artifact:
        return build(Artifact, data, _fetch=lambda path: self._open(calls.get_artifact(run_id, path)).chunks())

    def _json(self, call: Call) -> Any:
        return calls.parse_json(self._send(call))

    def _send(self, call: Call) -> bytes:
        return self._open(call).read(MAX_JSON_BYTES)

    def _open(self, call: Call) -> Response:
        """The answer to a call, if it is a good one; refusals that may pass are tried again."""
        attempt = 0
        while True:
            try:
                response = self._transport.send(call, self._headers)
                if 200 <= response.status < 300:
                    return response
                raise calls.error_of(response.status, response.headers, response.read(MAX_PROBLEM_BYTES))
            except (ApiError, ConnectionFailed) as error:
                delay = self._retry.delay(error, call, attempt)
                if delay is None:
                    raise
            time.sleep(delay)
            attempt += 1
