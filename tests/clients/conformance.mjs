// The MCP conformance suite, all of its server scenarios, against a host without a token: the suite can send none. It
// wants a newer Node than the clients: run this with that one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

assert.ok(Number.parseInt(process.versions.node) >= 22, `the suite needs Node 22 or newer; this is ${process.version}`);

const here = (path) => new URL(path, import.meta.url).pathname;
const baseline = here("conformance.yml");
const suite = here("node_modules/@modelcontextprotocol/conformance/");
const { version } = JSON.parse(readFileSync(`${suite}package.json`));

const expected = new Map();
for (const line of readFileSync(baseline, "utf8").split("\n")) {
    const entry = /^ {2}- (\S+) +# (.+)$/.exec(line);
    if (entry) expected.set(entry[1], entry[2]);
}

const results = mkdtempSync(join(tmpdir(), "conformance-"));
try {
    const options = ["--suite", "all", "--expected-failures", baseline, "--output-dir", results];
    const args = [`${suite}dist/index.js`, "server", "--url", process.env.OPEN_URL, ...options];
    const run = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 90_000 });
    const summary = run.stdout.slice(run.stdout.indexOf("=== SUMMARY"));
    assert.equal(run.status, 0, `${run.error ?? ""}${summary}${run.stderr}`);

    let passed = 0;
    const failed = new Map();
    for (const folder of readdirSync(results)) {
        const checks = JSON.parse(readFileSync(join(results, folder, "checks.json")));
        const wrong = checks.filter((check) => check.status === "FAILURE" || check.status === "WARNING");
        const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder);
        if (wrong.length) failed.set(scenario, wrong.map((check) => check.errorMessage).join("; "));
        else if (checks.some((check) => check.status === "SUCCESS")) passed++;
        else assert.fail(`${scenario} checked nothing`);
    }
    assert.deepEqual(Object.fromEntries([...failed].sort()), Object.fromEntries([...expected].sort()));
    assert.ok(passed > 0, "no scenario passed");
    console.log(`ok  @modelcontextprotocol/conformance ${version}: ${passed} passed, ${failed.size} failed as expected`);
} finally {
    rmSync(results, { recursive: true });
}
