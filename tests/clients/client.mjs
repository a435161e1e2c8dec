// @modelcontextprotocol/client, the TypeScript client of the newer line.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { tell } from "./story.mjs";

let changes = 0;
const options = { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes++ } } };
const client = new Client({ name: "ts-client", version: "1" }, options);
const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.URL), { requestInit: { headers } }));
await tell("@modelcontextprotocol/client 2.4.0", {
    list: async () => (await client.listTools()).tools,
    call: (name, args, signal) => client.callTool({ name, arguments: args }, { signal }),
    changes: () => changes,
});
await client.close();
