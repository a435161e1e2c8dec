// What every client does: list, call, get errors, cancel, and see a plugin appear and go. `app` hides how its client
// spells it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";

const { URL: address, TOKEN: token } = process.env;

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

/** A call with no client and no session: for a look from outside at what a client that ends after each command does. */
export async function plainCall(name) {
    const response = await fetch(address, {
        method: "POST",
        headers: {
            Authorization: `Bearer ${token}`,
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
    });
    assert.equal(response.status, 200);
    return (await response.json()).result;
}

/**
 * Runs a command-line client. What it prints is read as JSON from the first brace on; if there is none, it has failed.
 * An abort kills the process at once: it says no goodbye, so that the host learns only that the connection has gone.
 */
export function command(program, args, signal) {
    return new Promise((resolve, reject) => {
        execFile(program, args, { signal, killSignal: "SIGKILL" }, (error, out, err) => {
            const start = out.indexOf("{");
            if (start >= 0) resolve(JSON.parse(out.slice(start)));
            else reject(new Error(`${error}\n${out}${err}`));
        });
    });
}

/**
 * All of it.
 *
 * @param app `list()` gives tools; `call(name, args, signal)` a result; `stranger()` lists with a token that is not the
 * host's and says `refused`. A client that stays connected has `changes()`, how many list changes it was told of so far;
 * one that does not has `look(name)`, a call that leaves it out.
 */
export async function tell(name, app) {
    const tools = await lists(app);
    const { annotations } = tools.find((tool) => tool.name === "clients_ping");
    assert.deepEqual(annotations, { readOnlyHint: true, destructiveHint: false, openWorldHint: false });
    await calls(app);
    await assert.rejects(app.call("no_such_tool", {}), /no_such_tool/);
    await cancels(app);
    const guest = async () => text(await app.call("guest_ping", {}));
    await seesAPluginComeAndGo(app, {
        there: async () => assert.match(await guest(), /plugin Guest.*\npong$/),
        gone: () => assert.rejects(guest(), /guest_ping/),
    });
    console.log(`ok  ${name}`);
}

export async function lists(app) {
    const tools = await app.list();
    assert.match(tools.find((tool) => tool.name === "clients_ping").description, /plugin Clients/);
    assert.ok(tools.some((tool) => tool.name === "start_job"));
    assert.ok(!tools.some((tool) => tool.name === "guest_ping"), "the other plugin has gone again");
    await assert.rejects(app.stranger(), app.refused);
    return tools;
}

export async function calls(app) {
    const pong = await app.call("clients_ping", { text: "hello" });
    assert.match(text(pong), /^\[Data from the plugin Clients[^\n]*\n\{"text":"hello"\}$/);
    assert.ok(!pong.isError);
    const failed = await app.call("clients_fail", {});
    assert.equal(failed.isError, true);
    assert.equal(text(failed), "the bags are full");
}

export async function cancels(app) {
    const look = app.look ?? ((tool) => app.call(tool, {}));
    const number = async (tool) => Number(text(await look(tool)).split("\n").at(-1));
    const before = await number("clients_cancelled");
    assert.equal(await number("clients_hanging"), 0);
    const abort = new AbortController();
    const rejected = assert.rejects(app.call("clients_hang", {}, abort.signal), /abort/i);
    await until("the call hangs", async () => (await number("clients_hanging")) === 1);
    assert.equal(await number("clients_cancelled"), before);
    abort.abort();
    await rejected;
    await until("the plugin hears of the cancelled call", async () => (await number("clients_cancelled")) === before + 1);
    assert.equal(await number("clients_hanging"), 0);
}

/** The client is told, if it can be, and its next list shows it. */
export async function seesAPluginComeAndGo(app, { there, gone } = {}) {
    const listed = async () => (await app.list()).some((tool) => tool.name === "guest_ping");
    const toggle = async (what, seen) => {
        const told = app.changes?.();
        await (app.look ?? ((tool) => app.call(tool, {})))("clients_toggle");
        if (app.changes) await until(`a list change: ${what}`, () => app.changes() > told);
        await until(what, seen);
    };
    await toggle("the plugin appears", listed);
    await there?.();
    await toggle("the plugin goes", async () => !(await listed()));
    await gone?.();
}
