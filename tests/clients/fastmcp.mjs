// The command line of FastMCP, a Python client. As the Inspector's: each command is a session of its own. It shows no
// annotations, and looks a tool up in the list before it calls it, as the Inspector does.

import { calls, cancels, command, lists, plainCall, seesAPluginComeAndGo } from "./story.mjs";

const fastmcp = (verb, args, signal, token = process.env.TOKEN) =>
    command(process.env.FASTMCP, [verb, process.env.URL, ...args, "--auth", token, "--json"], signal);

const app = {
    list: async () => (await fastmcp("list", [])).tools,
    call: async (name, args, signal) => {
        const pairs = Object.entries(args).map(([key, value]) => `${key}=${value}`);
        const { content, is_error: isError } = await fastmcp("call", [name, ...pairs], signal);
        return { content, isError };
    },
    stranger: () => fastmcp("list", [], undefined, "not-it"),
    refused: /error response/,
    look: plainCall,
};
await lists(app);
await calls(app);
await cancels(app);
await seesAPluginComeAndGo(app);
console.log("ok  fastmcp 4.2.3 (Python)");
