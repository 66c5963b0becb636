"""Drives a server through the official Python SDK and prints what it saw; the twin of client.mjs.

    python client.py legacy|modern '{"command":"glovebox","args":["mcp"]}'
    python client.py legacy|modern '{"url":"http://127.0.0.1:7070/mcp","key":"gbk_…"}'

Nothing is judged here: the test that starts this does. A step that raises is told under its name.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback

import anyio
import httpx2
from mcp import Client, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client

ASKED = "import os\nos.chdir('.')\nprint('approved')"
ANNOUNCED = "import time\nfor n in range(12):\n    print(n, flush=True)\n    time.sleep(0.25)"
ENDLESS = "import time\nprint('started', flush=True)\ntime.sleep(60)"


def plain(value):
    """As JSON would have it on the wire."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value


class Person:
    """Whom the server asks: says yes in the words of the form, or no."""

    def __init__(self):
        self.says_yes = False
        self.questions: list = []

    async def __call__(self, context, params) -> types.ElicitResult:
        asked = plain(params)
        self.questions.append(asked)
        if not self.says_yes:
            return types.ElicitResult(action="decline")
        fields = asked.get("requestedSchema", {}).get("properties", {})
        content = {name: True if field.get("type") == "boolean" else "yes" for name, field in fields.items()}
        return types.ElicitResult(action="accept", content=content)


class Steps:
    def __init__(self, client: Client, person: Person, era: str):
        self.client, self.person, self.era = client, person, era

    async def call(self, name: str, arguments: dict, **options) -> dict:
        return plain(await self.client.call_tool(name, arguments, read_timeout_seconds=90, **options))

    async def server(self):
        client = self.client
        info = {"info": plain(client.server_info), "capabilities": plain(client.server_capabilities)}
        return {**info, "protocol": client.protocol_version}

    async def tools(self):
        return plain((await self.client.list_tools()).tools)

    async def run(self):
        return await self.call("execute_code_sandbox", {"language": "python", "code": "print(6 * 7)"})

    async def failing(self):
        return await self.call("execute_code_sandbox", {"code": "1 / 0"})

    async def unknown_tool(self):
        return await self.call("no_such_tool", {})

    async def bad_arguments(self):
        return await self.call("execute_code_sandbox", {"language": "python"})

    async def workspace(self):
        seen = {}
        seen["wrote"] = await self.call("write_file", {"path": "notes/hello.txt", "content": "hello from the client\n"})
        seen["handle"] = seen["wrote"].get("structuredContent", {}).get("workspace")
        where = {"workspace": seen["handle"]} if self.era == "modern" else {}
        command = "cat notes/hello.txt; echo made by shell > made.txt"
        seen["shell"] = await self.call("run_shell", {"command": command, **where})
        program = {"code": "print(open('made.txt').read())", **where}
        seen["program"] = await self.call("execute_code_sandbox", program)
        seen["listed"] = await self.call("list_files", where)
        seen["read"] = await self.call("read_file", {"path": "made.txt", **where})
        seen["stranger"] = await self.call("read_file", {"path": "made.txt", "workspace": "ws_" + "0" * 32})
        return seen

    async def ask(self, says_yes: bool):
        self.person.says_yes = says_yes
        self.person.questions = []
        code = ASKED + f"  # {says_yes}"
        result = await self.call("execute_code_sandbox", {"code": code, "policy": "data_analysis"})
        return {"questions": self.person.questions, "result": result}

    async def elicitation_accepted(self):
        return await self.ask(True)

    async def elicitation_declined(self):
        return await self.ask(False)

    async def progress(self):
        told = []

        async def hear(progress: float, total: float | None, message: str | None):
            told.append({"progress": progress, "total": total, "message": message})

        result = await self.call("execute_code_sandbox", {"code": ANNOUNCED}, progress_callback=hear)
        return {"told": told, "result": result}

    async def cancel(self):
        began = time.monotonic()
        with anyio.move_on_after(1) as scope:
            await self.call("execute_code_sandbox", {"code": ENDLESS, "limits": {"wall_ms": 60_000}})
        stopped_ms = (time.monotonic() - began) * 1000
        after = await self.call("execute_code_sandbox", {"code": "print('alive')"})
        return {"thrown": "cancelled" if scope.cancelled_caught else "", "stopped_ms": stopped_ms, "after": after}

    async def many(self):
        outputs: list = [None] * 16

        async def one(number: int):
            result = await self.call("execute_code_sandbox", {"code": f"print({number} * 1000)"})
            outputs[number] = result["structuredContent"]["stdout"]

        async with anyio.create_task_group() as group:
            for number in range(len(outputs)):
                group.start_soon(one, number)
        return outputs


NAMES = (
    "server", "tools", "run", "failing", "unknown_tool", "bad_arguments", "workspace", "elicitation_accepted",
    "elicitation_declined", "progress", "cancel", "many",
)  # fmt: skip


async def main():
    era, target = sys.argv[1], json.loads(sys.argv[2])
    async with contextlib.AsyncExitStack() as stack:
        if "url" in target:
            headers = {"Authorization": f"Bearer {target['key']}"} if target.get("key") else {}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=90))
            server = streamable_http_client(target["url"], http_client=http)
        else:
            server = StdioServerParameters(command=target["command"], args=target["args"], env=dict(os.environ))
        person = Person()
        mode = "auto" if era == "modern" else "legacy"
        client = await stack.enter_async_context(Client(server, mode=mode, elicitation_callback=person))
        steps, seen = Steps(client, person, era), {}
        for name in NAMES:
            try:
                seen[name] = await getattr(steps, name)()
            except Exception as error:
                seen[name] = {"thrown": repr(error), "stack": traceback.format_exc()}
    print(json.dumps(seen))


anyio.run(main)
