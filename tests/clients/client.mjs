// @modelcontextprotocol/client, the TypeScript client of the newer line.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { tell } from "./story.mjs";

function transport(token) {
    const headers = { Authorization: `Bearer ${token}` };
    return new StreamableHTTPClientTransport(new URL(process.env.URL), { requestInit: { headers } });
}

let changes = 0;
const options = { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes++ } } };
const client = new Client({ name: "ts-client", version: "1" }, options);
await client.connect(transport(process.env.TOKEN));
await tell("@modelcontextprotocol/client 2.4.0", {
    list: async () => (await client.listTools()).tools,
    call: (name, args, signal) => client.callTool({ name, arguments: args }, { signal }),
    stranger: () => new Client({ name: "stranger", version: "1" }).connect(transport("not-it")),
    refused: /the Authorization header must be/,
    changes: () => changes,
});
await client.close();
