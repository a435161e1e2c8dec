// What a player does in the window, and what the window does by itself.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { card, closeBrowser, eventually, question, Stage } from "./stage.mjs";

// Runs `body` on a stage of its own, and fails if a page of it had a fault.
function staged(name, body, ...program) {
  it(name, async () => {
    const stage = await Stage.start(...program);
    const pages = [];
    const open = async (options) => {
      const page = await stage.window(options);
      pages.push(page);
      return page;
    };
    try {
      await body(stage, open);
      for (const page of pages) assert.deepEqual(page.faults, []);
    } finally {
      await Promise.all(pages.map((page) => page.context().close()));
      await stage.stop();
    }
  });
}

after(closeBrowser);

describe("the player's window", { concurrency: 2 }, () => {
  // First, so that the others run while its two minutes pass.
  staged("a question that nobody answers is declined when its time is over", async (stage, open) => {
    const page = await open();
    await stage.enable(page, "HelloMcp");
    const assistant = await stage.assistant();
    const asked = Date.now();
    const call = assistant.call("hellomcp_wave");
    await question(page, "hellomcp_wave").waitFor();
    const left = await question(page, "hellomcp_wave").getByRole("timer").innerText();
    assert.match(left, /\b(2:00|1:5\d)$/);
    const { text, isError } = await call;
    assert.ok(isError && text.includes("hellomcp_wave"), text);
    assert.ok(Date.now() - asked > 115_000, "it ran out too early");
    await question(page, "hellomcp_wave").waitFor({ state: "detached" });
    await stage.show(page, "Audit");
    await page.getByRole("button", { name: /hellomcp_wave.*denied/ }).waitFor();
  });

  staged("the first start: the link opens the page once, and leaves the address", async (stage, open) => {
    const stranger = await stage.window({ link: stage.origin + "/" }); // its browser reports the 401: that is no fault
    assert.equal(stranger.answer.status(), 401);
    await stranger.context().close();
    const page = await open();
    assert.equal(page.url(), stage.origin + "/");
    assert.equal(await page.evaluate(() => document.cookie), "", "scripts cannot read the cookie");
    assert.equal(await page.locator(".card").count(), 4);
    await page.getByRole("link", { name: /^Plugins 4 to decide/ }).waitFor();
    await page.getByText("Nothing to answer.").waitFor();
    const names = await page.getByRole("article").evaluateAll((cards) => cards.map((one) => one.getAttribute("aria-label")));
    assert.ok(names.includes("Plugin Hello MCP"), String(names));
  });

  staged("consent shows what is new, riskiest first, and again when a plugin grows", async (stage, open) => {
    const page = await open();
    const restock = card(page, "RestockHelper");
    const risks = await restock.getByRole("list", { name: "New: what it may do" }).locator(".chip").allInnerTexts();
    assert.deepEqual(risks, ["critical", "high", "low"]);
    await restock.getByRole("button", { name: "Keep disabled: Restock Helper" }).click();
    await restock.getByText("kept disabled").waitFor();
    await restock.getByRole("button", { name: "Review Restock Helper" }).click();
    await restock.getByText("Nothing new since you last looked.").waitFor();

    const hello = card(page, "HelloMcp");
    await hello.getByRole("button", { name: "Enable Hello MCP" }).click();
    await hello.getByText("enabled", { exact: true }).waitFor();
    const assistant = await stage.assistant();
    assert.ok((await assistant.tools()).includes("hellomcp_wave"));

    stage.command("grow");
    await hello.getByText("waits for consent").waitFor();
    const fresh = hello.getByRole("group", { name: "Decision about Hello MCP" });
    assert.deepEqual(await fresh.getByRole("list", { name: "New tools" }).locator("code").allInnerTexts(), ["hellomcp_shout"]);
    assert.match(await fresh.getByRole("list", { name: "New: what it may do" }).innerText(), /^\s*high\s+Write in chat/);
    assert.ok(!(await assistant.tools()).includes("hellomcp_wave"), "all its tools wait");
    await hello.getByRole("button", { name: "Enable Hello MCP" }).click();
    await hello.getByText("enabled", { exact: true }).waitFor();
    assert.ok((await assistant.tools()).includes("hellomcp_shout"));
  });

  staged("a question shows who asks for what, and the answer goes to the assistant", async (stage, open) => {
    const page = await open();
    await stage.enable(page, "HelloMcp");
    const assistant = await stage.assistant("Claude Code");
    const call = assistant.call("hellomcp_nap", { seconds: 0 });
    const asked = question(page, "hellomcp_nap");
    await asked.waitFor();
    const text = await asked.innerText();
    for (const part of ["Hello MCP", "hellomcp_nap", "Move your character", "the assistant (Claude Code)", '"seconds": 0']) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.match(await page.title(), /^\(1\)/);
    await asked.getByRole("button", { name: /^This session/ }).click();
    assert.equal((await call).isError, false);
    await asked.waitFor({ state: "detached" });
    assert.equal((await assistant.call("hellomcp_nap", { seconds: 0 })).isError, false, "asked once for the session");
    const forget = card(page, "HelloMcp").getByRole("button", { name: /Forget the session answers/ });
    await forget.click();
    await forget.waitFor({ state: "detached" }); // the host has forgotten them, and says so
    const again = assistant.call("hellomcp_nap", { seconds: 0 });
    await question(page, "hellomcp_nap").getByRole("button", { name: /^Decline/ }).click();
    assert.equal((await again).isError, true);
    await stage.show(page, "Audit");
    for (const decision of ["denied", "approved session"]) await page.getByText(decision, { exact: true }).first().waitFor();
  });

  staged("a critical question can be answered once or not at all", async (stage, open) => {
    const page = await open();
    await stage.enable(page, "RestockHelper");
    const assistant = await stage.assistant();
    const call = assistant.call("restockhelper_buy");
    const asked = question(page, "restockhelper_buy");
    await asked.waitFor();
    const answers = asked.getByRole("group", { name: /^Answer/ }).getByRole("button");
    assert.deepEqual(await answers.allInnerTexts(), ["Once", "Decline"]);
    await answers.first().click();
    await page.getByText("Discard 3 Fire Shards to make room").waitFor();
    assert.deepEqual(await answers.allInnerTexts(), ["Once", "Decline"]);
    await answers.first().click();
    assert.match((await call).text, /Bought 12 Darksteel Ore/);
  });

  staged("a job is seen step by step, paused, resumed and cancelled", async (stage, open) => {
    const page = await open({ view: "Jobs" });
    await stage.enable(page, "HelloMcp");
    await stage.act(page, { do: "set_capability", plugin: "HelloMcp", capability: "move_character", mode: "allow" });
    stage.command("farm");
    const job = page.getByRole("article", { name: "Job Evening rest (Hello MCP)" });
    await job.waitFor();
    await job.getByRole("log").getByText(/s1: rested 0 of 3 s/).waitFor();
    await job.getByText("1/3").waitFor();
    await job.getByRole("button", { name: /^Pause/ }).click();
    await job.getByText("paused", { exact: true }).waitFor();
    await job.getByText("interrupted", { exact: true }).waitFor();
    await job.getByRole("button", { name: /^Resume/ }).click();
    await job.getByText("running", { exact: true }).first().waitFor();
    await job.getByText("2 attempts").waitFor();
    await job.getByRole("button", { name: /^Cancel/ }).click();
    await job.getByText("cancelled", { exact: true }).waitFor();
    assert.equal(await job.getByRole("button", { name: /^(Pause|Resume|Retry|Skip|Cancel)/ }).count(), 0);
  });

  staged("a job whose step has failed says why, and is retried or goes on without it", async (stage, open) => {
    const page = await open({ view: "Jobs" });
    await stage.enable(page, "HelloMcp");
    const assistant = await stage.assistant();
    await assistant.call("start_job", { name: "Greetings", steps: [{ tool: "hellomcp_greet", args: {} }, { tool: "wait", args: { seconds: 0 } }] });
    const job = page.getByRole("article", { name: "Job Greetings" });
    await job.getByText("pending", { exact: true }).waitFor();
    assert.match(await job.innerText(), /s1[\s\S]*name/);
    await job.getByRole("button", { name: /^Retry/ }).click();
    await job.getByText("2 attempts").waitFor();
    await job.getByText("pending", { exact: true }).waitFor();
    await job.getByRole("button", { name: /^Skip/ }).click();
    await job.getByText("completed", { exact: true }).waitFor();
    await job.getByText("2/2").waitFor();
  });

  staged("a plugin that spends what it did not declare is suspended, flagged, and lifted", async (stage, open) => {
    const page = await open();
    await stage.enable(page, "FarmBot");
    const assistant = await stage.assistant();
    const call = assistant.call("farmbot_farm");
    await question(page, "farmbot_farm").getByRole("button", { name: /^Once/ }).click();
    await call;
    const farm = card(page, "FarmBot");
    const reason = farm.getByRole("group", { name: "Suspension of Farm Bot" });
    await reason.waitFor();
    assert.match(await reason.innerText(), /farmbot_farm[\s\S]*gil/);
    assert.equal((await assistant.call("farmbot_farm")).isError, true);
    await stage.show(page, "Audit");
    await page.getByLabel("flagged only").check();
    await page.getByRole("button", { name: /farmbot_farm/ }).click();
    assert.match(await page.locator(".entry.flagged .details").innerText(), /spent gil/);
    await stage.show(page, "Plugins");
    await reason.getByRole("button", { name: /^Lift/ }).click();
    await reason.waitFor({ state: "detached" });
    await farm.getByText("enabled", { exact: true }).waitFor();
  });

  staged("two windows and an assistant stay in step, and typing is not disturbed", async (stage, open) => {
    const [one, two] = [await open(), await open({ view: "Audit" })];
    const filter = two.getByRole("searchbox");
    await filter.pressSequentially("hello");
    await card(one, "HelloMcp").getByRole("button", { name: "Enable Hello MCP" }).click();
    const ask = card(one, "HelloMcp").getByRole("radiogroup", { name: "Hello MCP, Use game windows" });
    await ask.getByRole("radio", { name: "Allow" }).click();
    const assistant = await stage.assistant();
    await assistant.call("hellomcp_wave");
    await two.getByRole("button", { name: /hellomcp_wave.*allowed.*ok/ }).waitFor();
    await filter.pressSequentially("mcp_w");
    assert.equal(await filter.inputValue(), "hellomcp_w");
    assert.ok(await filter.evaluate((input) => input === document.activeElement));
    await stage.show(two, "Plugins");
    const other = card(two, "HelloMcp").getByRole("radiogroup", { name: "Hello MCP, Use game windows" });
    await eventually(async () => (await other.getByRole("radio", { name: "Allow" }).getAttribute("aria-checked")) === "true", "the other window shows Allow");
    await other.getByRole("radio", { name: "Deny" }).click();
    await eventually(async () => (await ask.getByRole("radio", { name: "Deny" }).getAttribute("aria-checked")) === "true", "the first window shows Deny");

    // A question that one window answers goes from the other, too.
    await stage.enable(one, "FarmBot");
    const call = assistant.call("farmbot_farm");
    await question(one, "farmbot_farm").waitFor();
    await question(two, "farmbot_farm").getByRole("button", { name: /^Decline/ }).click();
    await question(one, "farmbot_farm").waitFor({ state: "detached" });
    assert.equal((await call).isError, true);
  });

  staged("what plugins say is text in every view, and changes nothing of the page", async (stage, open) => {
    const page = await open();
    await stage.enable(page, "Hostile");
    const assistant = await stage.assistant("<i>App</i>");
    const call = assistant.call("hostile_speak", { "<u>key</u>": "<script>document.title='taken'</script>" });
    await question(page, "hostile_speak").getByRole("button", { name: /^Once/ }).click();
    await page.locator(".summary").getByText("<b>bold</b>").waitFor();
    await page.getByRole("button", { name: /^Decline/ }).click();
    assert.equal((await call).isError, true);
    await assistant.call("start_job", { name: "<h1>Job</h1>", steps: [{ tool: "hostile_speak", note: "<h2>note</h2>" }] });
    await question(page, "hostile_speak").getByRole("button", { name: /^Decline/ }).click();
    for (const view of ["Plugins", "Jobs", "Audit", "Assistant", "Modules", "Game", "Lint"]) {
      await stage.show(page, view);
      const closed = page.locator(".card .foldhead[aria-expanded=false]");
      // Unfolding may show more that is folded.
      if (view !== "Modules") await eventually(async () => {
        await closed.evaluateAll((heads) => heads.forEach((head) => head.click()));
        return (await closed.count()) === 0;
      }, "everything is unfolded");
      if (view === "Audit") await page.locator(".entryhead").first().click();
      const built = await page.evaluate(() => ({
        strangers: document.querySelectorAll("img, script:not([src]), b, i, u, #app h1 ~ h1, article h1, article h2, iframe, object, style").length,
        title: document.title,
        wide: document.documentElement.scrollWidth > innerWidth,
      }));
      assert.deepEqual({ ...built, title: built.title.includes("taken") }, { strangers: 0, title: false, wide: false }, view);
    }
  });

  staged("everything can be done with keys, and the focus stays", async (stage, open) => {
    const page = await open();
    await page.keyboard.press("6");
    await page.getByRole("article", { name: "Belongings" }).waitFor();
    await page.keyboard.press("1");
    await card(page, "HelloMcp").getByRole("button", { name: "Enable Hello MCP" }).focus();
    await page.keyboard.press("Enter");
    await card(page, "HelloMcp").getByText("enabled", { exact: true }).waitFor();
    const group = card(page, "HelloMcp").getByRole("radiogroup", { name: "Hello MCP, Use game windows" });
    await group.getByRole("radio", { name: "Ask" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    const deny = group.getByRole("radio", { name: "Deny" });
    await eventually(async () => (await deny.getAttribute("aria-checked")) === "true", "Deny is chosen");
    assert.ok(await deny.evaluate((button) => button === document.activeElement), "the focus stays");
    await stage.act(page, { do: "set_capability", plugin: "HelloMcp", capability: "game_ui", mode: null });
    const call = (await stage.assistant()).call("hellomcp_wave");
    await question(page, "hellomcp_wave").waitFor();
    const once = question(page, "hellomcp_wave").getByRole("button", { name: /^Once/ });
    await eventually(() => once.isEnabled(), "the answers can be given");
    await page.keyboard.press("q");
    await page.keyboard.press("Tab");
    assert.ok(await once.evaluate((button) => button === document.activeElement), "the first answer has the focus");
    await page.keyboard.press("Enter");
    assert.equal((await call).isError, false);
  });

  staged("a tool is called from a form made of its schema", async (stage, open) => {
    const page = await open({ view: "Assistant" });
    await page.getByText("No plugin's tool is listed").waitFor();
    await stage.enable(page, "HelloMcp");
    await page.getByRole("button", { name: "hellomcp_greet" }).click();
    const tool = page.getByRole("article", { name: "Tool hellomcp_greet" });
    await tool.getByText("From the plugin Hello MCP").waitFor();
    await tool.getByLabel("name").fill("Y'shtola");
    await tool.getByLabel("times").fill("2.5");
    await tool.getByLabel("tone").selectOption("formal");
    await tool.getByLabel("times").fill("2");
    await tool.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("group", { name: "Answer of hellomcp_greet" }).getByText("Good day, Y'shtola! Good day, Y'shtola!").waitFor();
    await tool.getByRole("button", { name: "As JSON" }).click();
    await tool.getByLabel("Arguments").fill('{"name": 5}');
    await tool.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("group", { name: "Answer of hellomcp_greet" }).first().getByText(/name/).waitFor();
    await page.getByText("error", { exact: true }).waitFor();
    await tool.getByRole("button", { name: "As sent" }).click();
    const sent = await page.getByRole("group", { name: "hellomcp_greet as sent in tools/list" }).innerText();
    assert.ok(sent.includes('"readOnlyHint": true') && !sent.includes('"title"'), sent);
  });

  staged("the game is changed, and what cannot be done is said", async (stage, open) => {
    const page = await open({ view: "Game" });
    const gil = page.getByLabel("Gil", { exact: true });
    await gil.fill("12a");
    await page.getByRole("button", { name: "Set Gil" }).click();
    await page.getByText("must be a whole number").waitFor();
    await gil.fill("5000");
    await gil.press("Enter");
    await eventually(() => page.getByRole("button", { name: "Set Gil" }).isDisabled(), "the gil are set");
    await page.getByRole("button", { name: /^−1.000 Gil$/ }).click();
    await eventually(async () => (await gil.inputValue()) === "4000", "the gil are 4000");
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("logged out").waitFor();
    const refused = await stage.act(page, { do: "answer", question: 99, answer: "once" });
    assert.deepEqual([refused.status, refused.ok], [422, false]);
    assert.match(refused.error, /99/);
    page.faults.length = 0; // the browser itself reports the 422
    await page.getByRole("button", { name: "Unload" }).click();
    await page.getByText("unloaded", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Load" }).click();
    await page.getByText("loaded", { exact: true }).waitFor();
  });

  staged("the missing plugins of a plugin's jobs are named", async (stage, open) => {
    const page = await open();
    const list = card(page, "RestockHelper").getByRole("list", { name: "Tools that jobs of Restock Helper use" });
    const text = await list.innerText();
    for (const part of ["navigate_to", "market_prices", "plugin missing", "Market Watch", "https://example.com/repo.json"]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
  });

  staged("a plugin's library as it ships is loaded, allowed and called", async (stage, open) => {
    const page = await open();
    await card(page, "HelloMcp").getByRole("button", { name: /^Enable/ }).click();
    await card(page, "HelloMcp").getByText("enabled", { exact: true }).waitFor();
    const assistant = await stage.assistant();
    const call = assistant.call("hellomcp_greet", { name: "Y'shtola" });
    const asked = question(page, "hellomcp_greet").getByRole("button", { name: /^Once/ });
    await Promise.race([call, asked.click()]);
    assert.match((await call).text, /Y'shtola/);
  }, process.env.MOCK_HOST, ["run", "--port", "0", `HelloMcp=${process.env.HELLO_MCP}`]);

  staged("a host that has gone is told from one that is there", async (stage, open) => {
    const page = await open();
    await stage.stop();
    await page.getByText("Not connected; trying again").waitFor();
    page.faults.length = 0; // the browser itself reports that it cannot connect
  });
});
