// The Inspector's command line. Each command is a session of its own, so that cancelling is hanging up: the process ends.

import { execFile } from "node:child_process";
import { tell } from "./story.mjs";

const base = ["--cli", process.env.URL, "--transport", "http", "--header", `Authorization: Bearer ${process.env.TOKEN}`];
const program = new URL("node_modules/.bin/mcp-inspector", import.meta.url).pathname;

function inspect(args, signal) {
    return new Promise((resolve, reject) => {
        execFile(program, [...base, ...args], { signal, killSignal: "SIGKILL" }, (error, out, err) => {
            const start = out.indexOf("{");
            if (start >= 0) resolve(JSON.parse(out.slice(start)));
            else reject(new Error(`${error}\n${out}${err}`));
        });
    });
}

let changes = 0;
await tell("@modelcontextprotocol/inspector 2.12.0", {
    list: async () => (await inspect(["--method", "tools/list"])).tools,
    call: (name, args, signal) => {
        const pairs = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
        return inspect(["--method", "tools/call", "--tool-name", name, ...pairs], signal);
    },
    // It keeps no connection to be told on: the next command sees the other list.
    changes: () => changes++,
});
