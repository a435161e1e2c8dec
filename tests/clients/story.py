"""What every client does: list, call, get errors, cancel, and see a plugin appear. For both majors of `mcp`."""

import asyncio
import os
from importlib.metadata import version

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def until(what, done):
    for _ in range(200):
        if await done():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{what}: not within 10 s")


def text(result):
    return result.content[0].text


def is_error(result):
    return getattr(result, "is_error", getattr(result, "isError", None))


async def main():
    changes = []

    async def message(message):
        if "list_changed" in str(getattr(getattr(message, "root", message), "method", "")):
            changes.append(message)

    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    client = create_mcp_http_client(headers=headers)
    async with client, streamable_http_client(os.environ["URL"], http_client=client) as streams:
        async with ClientSession(streams[0], streams[1], message_handler=message) as session:
            await session.initialize()
            await tell(session, changes)
    print(f"ok  mcp {version('mcp')} (Python)")


async def tell(session, changes):
    async def names():
        return [tool.name for tool in (await session.list_tools()).tools]

    assert {"clients_ping", "start_job"} <= set(await names())
    pong = await session.call_tool("clients_ping", {"text": "hello"})
    assert '"text":"hello"' in text(pong) and not is_error(pong), pong

    failed = await session.call_tool("clients_fail", {})
    assert is_error(failed) and text(failed) == "the bags are full", failed
    try:
        await session.call_tool("no_such_tool", {})
    except Exception as error:
        assert "no_such_tool" in str(error), error
    else:
        raise AssertionError("an unknown tool is an error")

    async def number(tool):
        return int(text(await session.call_tool(tool, {})).split("\n")[-1])

    async def hangs():
        return await number("clients_hanging") > known_hanging

    known_hanging = await number("clients_hanging")
    before = await number("clients_cancelled")
    hanging = asyncio.create_task(session.call_tool("clients_hang", {}))
    await until("the call hangs", hangs)
    hanging.cancel()
    await asyncio.gather(hanging, return_exceptions=True)
    if not version("mcp").startswith("1."):  # the older one cancels only itself
        async def heard():
            return await number("clients_cancelled") == before + 1

        await until("the plugin hears of the cancelled call", heard)

    was_there = "guest_ping" in await names()
    known = len(changes)
    await session.call_tool("clients_toggle", {})

    async def told():
        return len(changes) > known

    async def other():
        return ("guest_ping" in await names()) != was_there

    await until("a list change", told)
    await until("the other list", other)


asyncio.run(asyncio.wait_for(main(), 60))
