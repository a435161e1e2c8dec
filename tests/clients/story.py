"""What every client does: list, call, get errors, cancel, and see a plugin appear and go. For both majors of `mcp`, the
newer one in both lifecycles of the protocol."""

import os
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.metadata import version

import anyio
from mcp import ClientSession, types
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

VERSION = version("mcp")
OLDER = VERSION.startswith("1.")


async def until(what, done):
    with anyio.move_on_after(30):
        while not await done():
            await anyio.sleep(0.05)
        return
    raise AssertionError(f"{what}: not within 30 s")


def text(result):
    return result.content[0].text


def is_error(result):
    return result.isError if OLDER else result.is_error


@asynccontextmanager
async def transport(token=os.environ["TOKEN"], **options):
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http:
        async with streamable_http_client(os.environ["URL"], http_client=http, **options) as streams:
            yield streams[0], streams[1]


@asynccontextmanager
async def connected(told=None, **options):
    """A session that began with `initialize`. `told` is called for each list change."""

    async def message(message):
        if told and "list_changed" in str(getattr(getattr(message, "root", message), "method", "")):
            told()

    async with transport(**options) as streams, ClientSession(*streams, message_handler=message) as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def discovered(told=None, **options):
    """A client of the lifecycle without sessions. It asks to be told of list changes."""
    from mcp import Client

    async def listen(client, *, task_status):
        async with client.listen(tools_list_changed=True) as changes:
            task_status.started()
            async for _ in changes:
                told()

    async with Client(transport(**options), mode="auto") as client, anyio.create_task_group() as tasks:
        assert client.protocol_version == "2026-07-28", client.protocol_version
        if told:
            await tasks.start(listen, client)
        yield client
        tasks.cancel_scope.cancel()


async def tell(connect, watcher):
    """`connect` makes a client; `watcher` is another one, which looks on while this one's calls hang."""
    changes = []
    async with connect(told=lambda: changes.append(1)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        ping = tools["clients_ping"]
        assert "plugin Clients" in ping.description and "start_job" in tools and "guest_ping" not in tools, tools
        assert (ping.annotations.readOnlyHint if OLDER else ping.annotations.read_only_hint) is True, ping
        await errors(client)
        if OLDER:
            await cancels_by_hand(client, watcher)
        else:
            await cancels(client, watcher)
        await sees_a_plugin_come_and_go(client, changes)
    await closes(connect, watcher)
    await closes(connect, watcher, terminate_on_close=False)
    await stranger(connect)


async def stranger(connect):
    refused = "401 Unauthorized" if OLDER else "Server returned an error response"
    try:
        async with connect(token="not-it") as client:
            await client.list_tools()
    except Exception as error:  # in groups
        assert refused in repr(error), error
        return
    raise AssertionError("a wrong token is taken")


async def errors(client):
    pong = await client.call_tool("clients_ping", {"text": "hello"})
    assert text(pong).endswith('\n{"text":"hello"}') and not is_error(pong), pong
    failed = await client.call_tool("clients_fail", {})
    assert is_error(failed) and text(failed) == "the bags are full", failed
    await unknown(client, "no_such_tool")


async def unknown(client, tool):
    try:
        result = await client.call_tool(tool, {})
    except Exception as error:
        assert tool in str(error), error
    else:
        raise AssertionError(f"{tool} is there: {result}")


class Hanging:
    """A call that goes on until it is cancelled, and that the plugin is at."""

    def __init__(self, watcher):
        self.watcher = watcher

    async def number(self, tool):
        return int(text(await self.watcher.call_tool(tool, {})).split("\n")[-1])

    async def is_at(self, hanging, cancelled):
        return await self.number("clients_hanging") == hanging and await self.number("clients_cancelled") == cancelled

    async def __aenter__(self):
        self.before = await self.number("clients_cancelled")
        assert await self.number("clients_hanging") == 0
        return self

    async def hangs(self):
        await until("the call hangs", lambda: self.is_at(1, self.before))

    async def __aexit__(self, kind, error, trace):
        if error is None:  # R-CALL-9
            await until("the plugin hears of the cancelled call", lambda: self.is_at(0, self.before + 1))


async def call_in_vain(client, **options):
    """The hanging call; it must not get an answer, whatever happens to it."""
    try:
        result = await client.call_tool("clients_hang", {}, **options)
    except Exception:
        return
    raise AssertionError(f"the call was answered: {result}")


async def cancels(client, watcher):
    """A call whose task is cancelled, and one that takes too long, are cancelled by the client itself."""
    async with Hanging(watcher) as call, anyio.create_task_group() as tasks:
        tasks.start_soon(call_in_vain, client)
        await call.hangs()
        tasks.cancel_scope.cancel()
    async with Hanging(watcher) as call, anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: call_in_vain(client, read_timeout_seconds=2))
        await call.hangs()


async def cancels_by_hand(session, watcher):
    """The older client only stops waiting, and says nothing. Its user can say it, with the id of the request."""
    async with Hanging(watcher) as call:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: call_in_vain(session, read_timeout_seconds=timedelta(seconds=2)))
            await call.hangs()
            last = session._request_id - 1  # no name of its own for it
        await call.hangs()
        params = types.CancelledNotificationParams(requestId=last, reason="no time")
        await session.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))


async def closes(connect, watcher, **options):
    """A client that goes while it calls: with DELETE, or by nothing but hanging up."""
    async with Hanging(watcher) as call, anyio.create_task_group() as tasks:
        async with connect(**options) as client:
            tasks.start_soon(call_in_vain, client)
            await call.hangs()
        tasks.cancel_scope.cancel()


async def sees_a_plugin_come_and_go(client, changes):
    async def listed(there):
        return ("guest_ping" in [tool.name for tool in (await client.list_tools()).tools]) == there

    async def told():
        return len(changes) > known

    for there in [True, False]:
        known = len(changes)
        await client.call_tool("clients_toggle", {})
        await until("a list change", told)
        await until("the other list", lambda: listed(there))
        if there:
            assert text(await client.call_tool("guest_ping", {})).endswith("\npong")
        else:
            await unknown(client, "guest_ping")


async def main():
    with anyio.fail_after(110):
        async with connected() as watcher:
            await tell(connected, watcher)
            print(f"ok  mcp {VERSION} (Python)")
            if not OLDER:
                await tell(discovered, watcher)
                print(f"ok  mcp {VERSION} (Python), without sessions")


anyio.run(main)
