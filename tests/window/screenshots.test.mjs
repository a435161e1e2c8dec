// Pictures of every view at three widths, in light and dark, to be looked at; and that nothing is wider than the window.
import assert from "node:assert/strict";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, it } from "node:test";
import { closeBrowser, question, Stage } from "./stage.mjs";

const FOLDER = process.env.SCREENSHOTS ?? "screenshots";
const VIEWS = ["Plugins", "Jobs", "Audit", "Assistant", "Modules", "Game", "Lint"];

after(closeBrowser);

// What axe-core finds wrong for people who use a keyboard, a screen reader, or need contrast. Run from outside: the
// page's own policy lets no other script in.
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function unusable(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => (await axe.run()).violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 200)}`)));
}

// Something of everything: plugins in all states, a question, jobs, calls that went well and badly.
async function scene(stage, page) {
  await stage.enable(page, "HelloMcp", "FarmBot");
  const state = await page.evaluate(async () => (await (await fetch("api/state")).json()).sections);
  const restock = state.plugins.find((plugin) => plugin.name === "RestockHelper");
  await stage.act(page, { do: "keep_disabled", plugin: "RestockHelper", tools: restock.tools.map((tool) => tool.name), capabilities: [] });
  for (const capability of ["move_character", "game_ui"]) await stage.act(page, { do: "set_capability", plugin: "HelloMcp", capability, mode: "allow" });
  const assistant = await stage.assistant("claude-code");
  await assistant.call("hellomcp_greet", { name: "Y'shtola", tone: "formal" });
  await assistant.call("hellomcp_greet", { nome: "Y'shtola" });
  await assistant.call("hellomcp_wave");
  const farm = assistant.call("farmbot_farm");
  await question(page, "farmbot_farm").getByRole("button", { name: /^Once/ }).click();
  await farm;
  await assistant.call("farmbot_farm");
  await stage.act(page, { do: "call", tool: "hellomcp_greet", args: '{"name":"adventurer","times":2}' });
  await assistant.call("start_job", { name: "Greet the free company", steps: [
    { tool: "hellomcp_greet", args: { name: "everyone" } }, { tool: "hellomcp_greet", note: "whom? see {{s1.greeting}}" }, { tool: "wait", args: { seconds: 5 } }] });
  await stage.act(page, { do: "set_capability", plugin: "HelloMcp", capability: "game_ui", mode: null });
  // While a job's step runs an assistant could not act: the question comes before the job.
  assistant.call("hellomcp_wave", { target: "Y'shtola" });
  await question(page, "hellomcp_wave").waitFor();
  stage.command("grow");
  await page.getByText("waits for consent").waitFor();
  await stage.enable(page, "HelloMcp");
  stage.command("farm");
  await page.getByText("Evening rest").waitFor();
  await stage.act(page, { do: "set_tool", plugin: "HelloMcp", tool: "hellomcp_shout", mode: "deny" });
}

it("every view is shown at every width without anything that sticks out", async () => {
  await mkdir(FOLDER, { recursive: true });
  const stage = await Stage.start();
  try {
    const first = await stage.window();
    await scene(stage, first);
    const picture = await stage.window({ width: 1200, height: 600 });
    await question(picture, "hellomcp_wave").getByRole("button", { name: /^Once/ }).click({ trial: true });
    await picture.screenshot({ path: `${FOLDER}/readme.png` }); // docs/window.png is this one
    await picture.context().close();
    const hard = [];
    for (const width of [480, 1200, 1920]) {
      for (const colorScheme of ["light", "dark"]) {
        const page = await stage.window({ width, height: width < 500 ? 1400 : 1000, colorScheme });
        for (const view of VIEWS) {
          await stage.show(page, view);
          await page.waitForTimeout(450); // the answers can be given, as a person sees them
          const wide = await page.evaluate(() => [...document.querySelectorAll("#app *")]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".sr, .skip, .clip"))
            .map((one) => one.outerHTML.slice(0, 150)));
          assert.deepEqual(wide, [], `${view} at ${width}`);
          const cramped = await page.evaluate(() => [...document.querySelectorAll("input[type=text], .button, .segment")]
            .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.offsetHeight > 36).map((one) => one.outerHTML.slice(0, 150)));
          assert.deepEqual(cramped, [], `${view} at ${width}`);
          for (const found of await unusable(page)) hard.push(`${view} at ${width}, ${colorScheme}: ${found}`);
          await page.screenshot({ path: `${FOLDER}/${view.toLowerCase()}-${width}-${colorScheme}.png` });
        }
        assert.deepEqual(page.faults, []);
        await page.context().close();
      }
    }
    assert.deepEqual(hard, []);
  } finally {
    await stage.stop();
  }
});
