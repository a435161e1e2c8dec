// What every client does: list, call, get errors, cancel, and see a plugin appear. `app` hides how its client spells it.

import assert from "node:assert/strict";

/** Waits until `done` gives something, at most half a minute. */
async function until(what, done) {
    const end = Date.now() + 30_000;
    for (;;) {
        const value = await done();
        if (value) return value;
        assert.ok(Date.now() < end, `${what}: not within 30 s`);
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

const text = (result) => result.content[0].text;

/**
 * @param app `list()` gives tools; `call(name, args, signal)` a result; `changes()` how many list changes came so far.
 */
export async function tell(name, app) {
    const names = async () => (await app.list()).map((tool) => tool.name);
    const tools = await app.list();
    const ping = tools.find((tool) => tool.name === "clients_ping");
    assert.match(ping.description, /plugin Clients/);
    assert.equal(ping.annotations.readOnlyHint, true);
    assert.ok(tools.some((tool) => tool.name === "start_job"));

    const pong = await app.call("clients_ping", { text: "hello" });
    assert.match(text(pong), /"text":"hello"/);
    assert.ok(!pong.isError);

    const failed = await app.call("clients_fail", {});
    assert.equal(failed.isError, true);
    assert.equal(text(failed), "the bags are full");
    await assert.rejects(app.call("no_such_tool", {}), /no_such_tool/);

    const number = async (tool) => Number(text(await app.call(tool, {})).split("\n").at(-1));
    const before = await number("clients_cancelled");
    const abort = new AbortController();
    const hanging = app.call("clients_hang", {}, abort.signal);
    const rejected = assert.rejects(hanging);
    await until("the call hangs", async () => (await number("clients_hanging")) === 1);
    abort.abort();
    await rejected;
    await until("the plugin hears of the cancelled call", async () => (await number("clients_cancelled")) === before + 1);

    const changes = app.changes();
    const there = (await names()).includes("guest_ping");
    await app.call("clients_toggle", {});
    await until("a list change", () => app.changes() > changes);
    await until("the other list", async () => (await names()).includes("guest_ping") !== there);
    console.log(`ok  ${name}`);
}
