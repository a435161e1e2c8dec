// A stage for one test: the program, a browser, and an assistant beside it. Mostly xivmcp-mock-host's example `window`,
// which has plugins of every kind; `xivmcp-mock-host run` where that is the point.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const PROGRAM = process.env.WINDOW_PROGRAM;
// Without these Chromium looks for hosts of its own on a network that is not there.
const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

let browser = null;

export async function sharedBrowser() {
  browser ??= chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
  return browser;
}

export async function closeBrowser() {
  await (await browser)?.close();
}

export class Stage {
  static async start(program = PROGRAM, args = []) {
    const stage = new Stage();
    stage.process = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    stage.ended = new Promise((resolve) => stage.process.on("exit", resolve));
    const lines = createInterface({ input: stage.process.stdout });
    for await (const line of lines) {
      const [, name, value] = /^(MCP endpoint|Token|Player's window)\s+(\S+)/.exec(line) ?? [];
      if (name === "MCP endpoint") stage.mcp = value;
      if (name === "Token") stage.token = value;
      if (name === "Player's window") {
        stage.link = value;
        break;
      }
    }
    if (!stage.link) throw new Error(`${program} has ended before it said where the window is`);
    stage.origin = new URL(stage.link).origin;
    return stage;
  }

  // A window of its own: no cookie of another one. What goes wrong in it is kept, and fails the test that looks.
  async window({ view = "", width = 1200, height = 900, colorScheme = "light", link = this.link } = {}) {
    const context = await (await sharedBrowser()).newContext({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    page.faults = [];
    page.on("pageerror", (error) => page.faults.push(String(error)));
    page.on("dialog", (dialog) => { page.faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on("console", (message) => { if (message.type() === "error") page.faults.push(message.text()); });
    page.answer = await page.goto(link);
    if (page.answer.ok()) await page.getByText("Live", { exact: true }).waitFor();
    if (view) await this.show(page, view);
    return page;
  }

  async show(page, view) {
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: new RegExp(`^${view}`) }).click();
  }

  command(line) {
    this.process.stdin.write(line + "\n");
  }

  // What a page's script would send, with the cookie of that page.
  async act(page, action) {
    return page.evaluate(async (body) => {
      const answer = await fetch("api/act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
      return { status: answer.status, ...(await answer.json()) };
    }, action);
  }

  async enable(page, ...plugins) {
    for (const name of plugins) {
      await page.evaluate(async (plugin) => {
        const { sections } = await (await fetch("api/state")).json();
        const card = sections.plugins.find((one) => one.name === plugin);
        await fetch("api/act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({
          do: "enable", plugin, tools: card.tools.map((tool) => tool.name), capabilities: card.capabilities.map((one) => one.id) }) });
      }, name);
    }
  }

  // An assistant's call over MCP, under the name of its app.
  async assistant(name = "Desk") {
    let session = null;
    let id = 0;
    const send = async (method, params, isRequest = true) => {
      const answer = await fetch(this.mcp, {
        method: "POST",
        headers: {
          "Content-Type": "application/json", Accept: "application/json, text/event-stream", Authorization: `Bearer ${this.token}`,
          ...(session ? { "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-06-18" } : {}),
        },
        body: JSON.stringify({ jsonrpc: "2.0", method, params, ...(isRequest ? { id: (id += 1) } : {}) }),
      });
      session = answer.headers.get("mcp-session-id") ?? session;
      const text = await answer.text();
      const data = text.split("\n").filter((line) => line.startsWith("data:") && line.length > 6).map((line) => JSON.parse(line.slice(5)));
      return data.find((message) => message.id === id) ?? (text.startsWith("{") ? JSON.parse(text) : null);
    };
    await send("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } });
    await send("notifications/initialized", {}, false);
    return {
      tools: async () => (await send("tools/list", {})).result.tools.map((tool) => tool.name),
      call: (tool, args = {}) => {
        const ended = (async () => {
          const { result, error } = await send("tools/call", { name: tool, arguments: args });
          if (error) throw new Error(error.message);
          return { text: result.content[0].text, isError: result.isError === true };
        })();
        ended.catch(() => {}); // a test that fails before it waits for the call is to fail by its own fault
        return ended;
      },
    };
  }

  async stop() {
    this.process.stdin.end();
    if (this.process.spawnfile !== PROGRAM) this.process.kill("SIGINT"); // the other one ends with its input
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 10_000);
    await this.ended;
    clearTimeout(timer);
  }
}

export const card = (page, plugin) => page.locator(`[data-plugin=${plugin}]`);
export const question = (page, tool) => page.getByRole("article", { name: `Question about ${tool}` });

// Waits until `look` gives something true; says what it gave last if it never does.
export async function eventually(look, what, limit = 20_000) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    last = await look();
    if (last) return last;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not so after ${limit / 1000} s`);
}
