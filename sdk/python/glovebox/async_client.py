"""The client for asyncio. `client.py` is its twin and has the longer explanations."""

from __future__ import annotations

import asyncio
import os
import ssl
from pathlib import Path
from typing import Any, AsyncIterator, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from . import calls, records
from .async_transport import AsyncResponse, AsyncTransport
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
from .result import AsyncArtifact, RunResult, build, parse_result
from .server_url import parse_url

Result = RunResult[AsyncArtifact]


class AsyncRunStream:
    """A run while it goes on: an iterator over its events. Leaving it early hangs up, and that cancels the run."""

    def __init__(self, client: AsyncClient, response: AsyncResponse) -> None:
        self._client = client
        self._response = response
        self.run_id: Optional[str] = response.headers.get("glovebox-run-id")
        self.result: Optional[Result] = None
        """Set when the last event has arrived."""

    async def __aiter__(self) -> AsyncIterator[Event[AsyncArtifact]]:
        decoder = EventDecoder(MAX_JSON_BYTES)
        try:
            async for chunk in self._response.chunks():
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

    async def cancel(self) -> None:
        """Stops the run; the result, with what was written so far, still arrives."""
        if self.run_id is None:
            raise InvalidReply("the server did not say which run this is")
        await self._client.cancel(self.run_id)

    def close(self) -> None:
        self._response.close()

    async def __aenter__(self) -> AsyncRunStream:
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.close()


class AsyncClient:
    """Talks to one server, in one event loop. The arguments are those of `Client`."""

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
        self._transport = AsyncTransport(parse_url(base_url), timeout, ssl_context)
        self._retry = RetryPolicy(retries, max_retry_wait)
        key = api_key if api_key is not None else os.environ.get("GLOVEBOX_API_KEY")
        self._headers = {"User-Agent": "glovebox-python/1.0.0", **({"Authorization": f"Bearer {key}"} if key else {})}

    # Running

    async def run(
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
        return await self.run_request(request, task=task)

    async def run_request(self, request: Runnable, *, task: Optional[str] = None) -> Result:
        """As run(), for a request that was made before: a RunRequest, or the JSON object of the contract."""
        answer = await self._json(calls.create_run(await self._payload(request), task=task))
        waiting = calls.waiting_run(answer)
        return self._result(answer) if waiting is None else await self._approved(waiting)

    async def run_tool(
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
        return await self.run_request(payload, task=task)

    async def stream(self, request: Runnable, *, task: Optional[str] = None) -> AsyncRunStream:
        """Runs a program and yields its events as they happen; the last one has the result."""
        response = await self._open(calls.create_run(await self._payload(request), task=task, accept=EVENT_STREAM))
        return AsyncRunStream(self, response)

    async def submit(self, request: Runnable, *, task: Optional[str] = None) -> str:
        """Starts a run and returns its id at once. wait() or get() tell what became of it."""
        answer = await self._json(calls.create_run(await self._payload(request), task=task, respond_async=True))
        run_id = answer.get("run_id") if isinstance(answer, dict) else None
        if not isinstance(run_id, str):
            raise InvalidReply("the server did not say which run this is")
        return run_id

    async def wait(self, run_id: str, *, timeout: float = 600.0) -> RunRecord[AsyncArtifact]:
        """Waits until a run neither runs nor waits for approval any more; asyncio.TimeoutError when that takes longer."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout
        pause = 0.02
        while True:
            record = await self.get(run_id)
            if record.state not in ("running", "waiting"):
                return record
            left = end - loop.time()
            if left <= 0:
                raise asyncio.TimeoutError(f"{run_id} is still running")
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 1.5, 1.0)

    async def batch(
        self,
        requests: Sequence[Runnable],
        *,
        task: Optional[str] = None,
        stop_on_failure: bool = False,
        concurrency: Optional[int] = None,
        progress: ProgressOption = False,
    ) -> BatchResult[AsyncArtifact]:
        """Runs many programs. progress=True draws a bar if stderr is a terminal; a function gets every report."""
        runs = await self._payloads(requests)
        payload: Dict[str, Any] = {"runs": runs, "stop_on_failure": stop_on_failure}
        if task is not None:
            payload["task"] = task
        if concurrency is not None:
            payload["concurrency"] = concurrency
        reporter = Reporter(progress)
        if not reporter.wanted:
            return records.parse_batch(await self._json(calls.create_batch(payload, accept=JSON)), self._result)
        response = await self._open(calls.create_batch(payload, accept=EVENT_STREAM))
        collected = BatchCollector(len(runs), reporter)
        decoder = EventDecoder(MAX_JSON_BYTES)
        try:
            async for chunk in response.chunks():
                for name, data in decoder.feed(chunk):
                    collected.take(name, data)
        finally:
            response.close()
            reporter.finish()
        return records.parse_batch(collected.finish(), self._result)

    async def cancel(self, run_id: str) -> None:
        """Stops a running run. ApiError with status 409 when it is not running."""
        await self._json(calls.cancel_run(run_id))

    # Looking back

    async def get(self, run_id: str) -> RunRecord[AsyncArtifact]:
        return records.parse_record(await self._json(calls.get_run(run_id)), self._result)

    async def list(
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
        return records.parse_page(await self._json(calls.list_runs(parameters)))

    async def iterate(self, **conditions: Any) -> AsyncIterator[RunSummary]:
        """Every run that list() would find, page after page."""
        while True:
            page = await self.list(**conditions)
            for run in page.runs:
                yield run
            if page.next_cursor is None:
                return
            conditions["cursor"] = page.next_cursor

    async def delete(self, run_id: str) -> None:
        await self._send(calls.delete_run(run_id))

    async def replay(self, run_id: str) -> Replay[AsyncArtifact]:
        """Runs a recorded run again and says what differs."""
        return records.parse_replay(await self._json(calls.replay_run(run_id)), self._result)

    async def repair_brief(self, run_id: str) -> RepairBrief:
        """What to send back to the model that wrote a failed program."""
        return records.parse_repair(await self._json(calls.get_repair(run_id)))

    async def usage(
        self, *, start: Optional[str] = None, end: Optional[str] = None, bucket: Optional[str] = None
    ) -> Usage:
        """What was used from `start` to `end` (RFC 3339) per "hour" or "day"."""
        return records.parse_usage(await self._json(calls.get_usage({"from": start, "to": end, "bucket": bucket})))

    # Policy

    async def check_policy(self, request: Runnable) -> PolicyDecision:
        """What the policy says about a request, without running it."""
        payload, _ = await self._read(request)
        return records.parse_decision(await self._json(calls.check_policy(payload)))

    async def approvals(self, *, state: Optional[str] = "pending", limit: Optional[int] = None) -> List[Approval]:
        """Runs that a policy asks a person about, the newest first. state=None: answered ones too."""
        return records.parse_approvals(await self._json(calls.list_approvals(dict(state=state, limit=limit))))

    async def approval(self, approval_id: str) -> Approval:
        return build(Approval, await self._json(calls.get_approval(approval_id)))

    async def approve(self, approval_id: str, note: str = "") -> Approval:
        """Lets it run, once. Needs the scope approve; ApiError with status 409 when somebody else was faster."""
        return build(Approval, await self._json(calls.answer_approval(approval_id, "approve", note)))

    async def reject(self, approval_id: str, note: str = "") -> Approval:
        return build(Approval, await self._json(calls.answer_approval(approval_id, "reject", note)))

    # Blobs, tools, administration

    async def upload(self, source: Union[bytes, str, "os.PathLike[str]"]) -> str:
        """Stores bytes, or a file named by its path, and returns the SHA-256 for `Blob`."""
        upload = await asyncio.to_thread(upload_of, source if isinstance(source, bytes) else Path(source))
        await self._upload([upload])
        return upload.sha256

    async def download(self, sha256: str) -> bytes:
        return calls.checked_blob(sha256, await self._send(calls.get_blob(sha256)))

    async def tools(self, format: Optional[str] = None) -> Any:
        """Tool definitions: a list for "openai_chat", "openai_responses", "anthropic" or "ollama"; else all by name."""
        return await self._json(calls.get_tools(format))

    async def health(self) -> Mapping[str, Any]:
        answer: Mapping[str, Any] = await self._json(calls.HEALTH)
        return answer

    async def stop(self, reason: str) -> AdminState:
        """The kill switch: running runs die, new ones are refused. Needs the scope admin."""
        return build(AdminState, await self._json(calls.admin("stop", reason)))

    async def resume(self, reason: str) -> AdminState:
        return build(AdminState, await self._json(calls.admin("resume", reason)))

    async def state(self) -> AdminState:
        return build(AdminState, await self._json(calls.ADMIN_STATE))

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    # How it is done

    async def _approved(self, run_id: str) -> Result:
        record = await self.wait(run_id)
        if record.result is None:
            raise InvalidReply(f"{run_id} was cut off while it waited for approval")
        return record.result

    async def _read(self, request: Runnable) -> Tuple[Dict[str, Any], List[Upload]]:
        # Files are read and hashed off the event loop; anything else is not worth the way to another thread.
        if isinstance(request, RunRequest) and request.files:
            return await asyncio.to_thread(to_payload, request)
        return to_payload(request)

    async def _payload(self, request: Runnable) -> Dict[str, Any]:
        payload, uploads = await self._read(request)
        await self._upload(uploads)
        return calls.with_key(payload, calls.new_key() if self._retry.retries else None)

    async def _payloads(self, requests: Sequence[Runnable]) -> List[Dict[str, Any]]:
        key = calls.new_key() if self._retry.retries else None
        payloads = []
        stored: Dict[str, Upload] = {}
        for index, request in enumerate(requests):
            payload, uploads = await self._read(request)
            await self._upload([upload for upload in uploads if upload.sha256 not in stored])
            stored.update((upload.sha256, upload) for upload in uploads)
            payloads.append(calls.with_key(payload, key and f"{key}-{index}"))
        return payloads

    async def _upload(self, uploads: Sequence[Upload]) -> None:
        for upload in uploads:
            try:
                await self._send(calls.head_blob(upload.sha256))
            except ApiError:
                # Not stored, or not ours to ask: then it is sent, and the answer to that counts.
                await self._send(calls.put_blob(upload))

    def _result(self, data: Any) -> Result:
        return parse_result(data, self._artifact)

    def _artifact(self, run_id: str, data: Mapping[str, Any]) -> AsyncArtifact:
        async def fetch(path: str) -> AsyncIterator[bytes]:
            async for chunk in (await self._open(calls.get_artifact(run_id, path))).chunks():
                yield chunk

        return build(AsyncArtifact, data, _fetch=fetch)

    async def _json(self, call: Call) -> Any:
        return calls.parse_json(await self._send(call))

    async def _send(self, call: Call) -> bytes:
        return await (await self._open(call)).read(MAX_JSON_BYTES)

    async def _open(self, call: Call) -> AsyncResponse:
        """The answer to a call, if it is a good one; refusals that may pass are tried again."""
        attempt = 0
        while True:
            try:
                response = await self._transport.send(call, self._headers)
                if 200 <= response.status < 300:
                    return response
                raise calls.error_of(response.status, response.headers, await response.read(MAX_PROBLEM_BYTES))
            except (ApiError, ConnectionFailed) as error:
                delay = self._retry.delay(error, call, attempt)
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            attempt += 1
