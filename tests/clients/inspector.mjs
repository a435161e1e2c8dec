// The Inspector's command line. Each command is a session of its own: it cancels by hanging up, and it sees a change of the
// list when it asks for the next one.

import { command, plainCall, tell } from "./story.mjs";

const program = new URL("node_modules/.bin/mcp-inspector", import.meta.url).pathname;

function inspect(args, signal, token = process.env.TOKEN) {
    const base = ["--cli", process.env.URL, "--transport", "http", "--header", `Authorization: Bearer ${token}`];
    return command(program, [...base, ...args], signal);
}

await tell("@modelcontextprotocol/inspector 2.12.0", {
    list: async () => (await inspect(["--method", "tools/list"])).tools,
    call: (name, args, signal) => {
        const pairs = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
        return inspect(["--method", "tools/call", "--tool-name", name, ...pairs], signal);
    },
    stranger: () => inspect(["--method", "tools/list"], undefined, "not-it"),
    refused: /auth_required/,
    look: plainCall,
});
