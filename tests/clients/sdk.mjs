// @modelcontextprotocol/sdk, the TypeScript client of the older line.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { tell } from "./story.mjs";

function transport(token) {
    const headers = { Authorization: `Bearer ${token}` };
    return new StreamableHTTPClientTransport(new URL(process.env.URL), { requestInit: { headers } });
}

let changes = 0;
const client = new Client({ name: "ts-sdk", version: "1" });
client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
await client.connect(transport(process.env.TOKEN));
await tell("@modelcontextprotocol/sdk 1.32.2", {
    list: async () => (await client.listTools()).tools,
    call: (name, args, signal) => client.callTool({ name, arguments: args }, undefined, { signal }),
    stranger: () => new Client({ name: "stranger", version: "1" }).connect(transport("not-it")),
    refused: /the Authorization header must be/,
    changes: () => changes,
});
await client.close();
