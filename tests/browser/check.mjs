// The page of a report, as people use it: in a real browser, by mouse and by keyboard, in light and dark, wide and narrow.
//
// node check.mjs PAGE REPORT.json

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { axe, browse, open } from "./browser.mjs";

const [file, json] = process.argv.slice(2);
const report = JSON.parse(readFileSync(json, "utf8"));
const sites = report.suites.flatMap((suite) => suite.tests.flatMap((test) => test.sites.map((site) => ({ ...site, test }))));
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

const checks = [];
const check = (name, run) => checks.push([name, run]);

check("all sites are there, the gravest first, and nothing is asked for", async ({ page }) => {
  assert.equal(await page.locator("#sites tbody tr").count(), sites.length);
  const grades = await page.locator("#sites tbody tr").evaluateAll((rows) => rows.map((row) => row.className));
  const rank = { bad: 0, look: 1, good: 2, quiet: 3 };
  assert.deepEqual(grades, [...grades].sort((a, b) => rank[a] - rank[b]));
});

check("columns sort both ways, by mouse and by keyboard", async ({ page }) => {
  const cells = () => page.locator("td.c-runs").evaluateAll((all) => all.map((cell) => Number(cell.textContent.replace(/\D/g, ""))));
  const head = page.locator("th.c-runs");
  await head.locator("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  const up = await cells();
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
  await head.locator("button").focus();
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  assert.deepEqual(await cells(), [...up].reverse().sort((a, b) => b - a));
  // What is not known comes last, whichever way.
  for (let turn = 0; turn < 2; turn++) {
    await page.locator("th.c-guard button").click();
    const guards = await page.locator("td.c-guard").allTextContents();
    const first = guards.indexOf("–");
    assert.ok(first > 0 && guards.slice(first).every((text) => text === "–"), guards.join());
  }
});

check("search and filters leave what they name", async ({ page }) => {
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement.id === "search");
  await page.keyboard.type("recall");
  assert.deepEqual(await page.locator("a.open").allTextContents(), ["recall > _"]);
  assert.match(await page.locator("#count").textContent(), new RegExp(`^1 of ${sites.length} sites$`));
  await page.locator("#search").fill("");
  const bad = page.locator("button.total.bad");
  await bad.click();
  assert.equal(await bad.getAttribute("aria-pressed"), "true");
  assert.equal(await page.locator("#sites tbody tr").count(), sites.filter((site) => site.grade === "bad").length);
  await bad.click();
  assert.equal(await page.locator("#sites tbody tr").count(), sites.length);
});

check("a site opens and closes by keyboard, and the focus comes back", async ({ page }) => {
  const link = page.locator("a.open").first();
  await link.focus();
  const target = await link.getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:not(.offscreen)");
  assert.ok((await page.url()).endsWith(target));
  await page.keyboard.press("j");
  await page.waitForFunction((old) => location.hash !== old, target);
  await page.keyboard.press("k");
  await page.waitForFunction((old) => location.hash === old, target);
  await page.keyboard.press("Escape");
  await page.waitForSelector("#sites");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")), target);
});

check("lines stand where their values are on the axis", async ({ page }) => {
  let lines = 0;
  for (const [index, site] of sites.entries()) {
    if (!site.series?.length) continue;
    await page.evaluate((hash) => (location.hash = hash), `#site-${index}`);
    await page.waitForFunction((name) => document.querySelector("h1")?.textContent.startsWith(name), shownName(site));
    const drawn = await page.locator("figure.wide svg").first().evaluate((svg) => {
      const number = (text) => Number(text.replace("−", "-"));
      const ticks = [...svg.querySelectorAll('text.number[text-anchor="middle"]')].map((text) => [number(text.textContent), Number(text.getAttribute("x"))]);
      const marks = [...svg.querySelectorAll("line.mark[data-kind]")].map((line) => [line.dataset.kind, Number(line.dataset.value), Number(line.getAttribute("x1"))]);
      return { ticks, marks };
    });
    const { ticks, marks } = drawn;
    assert.ok(ticks.length > 1, `${site.site}: ${JSON.stringify(drawn)}`);
    const [[from, left], [to, right]] = [ticks[0], ticks[ticks.length - 1]];
    const bounds = (site.sides ?? []).flatMap((side) => ["guard", "ceiling", "declared"].map((kind) => [kind, side[kind]])).filter(([, value]) => value !== undefined);
    for (const [kind, value, x] of marks) {
      assert.ok(bounds.some(([known, bound]) => known === kind && bound === value), `${site.site}: ${kind} ${value}`);
      const expected = left + ((value - from) / (to - from)) * (right - left);
      assert.ok(Math.abs(x - expected) < 1, `${site.site}: ${kind} ${value} at ${x}, not ${expected}`);
      lines++;
    }
    assert.ok(marks.length > 0 || !bounds.length || site.verdict === "refused" || (await page.locator("text.name", { hasText: "→" }).count()), site.site);
  }
  assert.ok(lines > 6, `${lines} lines`);
});

check("what was seen is drawn: tail, race, review, comparison, menu, claim", async ({ page }) => {
  const show = async (wanted) => {
    const index = sites.findIndex(wanted);
    assert.ok(index >= 0, String(wanted));
    await page.evaluate((hash) => (location.hash = hash), `#site-${index}`);
    await page.waitForFunction((name) => document.querySelector("h1")?.textContent.startsWith(name), shownName(sites[index]));
    return sites[index];
  };
  const failed = await show((site) => site.race);
  assert.equal(await page.locator("path.walk").count(), 1);
  assert.equal(await page.locator("path.band").count(), 1);
  assert.equal(await page.locator("path.cut").count() > 0, true);
  assert.deepEqual(await page.locator('line.mark.ceiling[data-value]').evaluateAll((all, fail) => all.some((line) => Number(line.dataset.value) === fail), failed.race.fail), true);
  assert.ok((await page.locator("rect.commit").count()) > 1);
  assert.ok((await page.locator("section.compared figure").count()) === 2);
  const copy = page.locator(".seeds .copy").first();
  await copy.click();
  await page.waitForFunction(() => document.querySelector(".seeds .copy").textContent === "copied");
  await show((site) => site.pending);
  assert.match(await page.locator("section.pending").textContent(), /review -p sketches accept/);
  await show((site) => site.menu);
  assert.equal(await page.locator("circle.option").count(), sites.find((site) => site.menu).menu.offers.length);
  await show((site) => site.claim);
  assert.equal(await page.locator("circle.estimate").count(), 1);
});

check("hostile names are text", async ({ page }) => {
  const index = sites.findIndex((site) => site.test.name.includes("<img"));
  await page.evaluate((hash) => (location.hash = hash), `#site-${index}`);
  await page.waitForFunction(() => document.querySelector(".title")?.textContent.includes("<img src=x"));
  assert.equal(await page.locator("img, b, iframe").count(), 0);
  assert.match(await page.locator("h1").textContent(), /^\\u\{202e\}"'><b>&amp;/);
});

check("it prints with all rows and without buttons", async ({ page }) => {
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".controls").isVisible(), false);
  assert.equal(await page.locator("#sites tbody tr").count(), sites.length);
  await page.emulateMedia({ media: "screen" });
});

/** A name as the page shows it. */
function shownName(site) {
  return site.site.replace(/\u202e/g, "\\u{202e}");
}

let failures = 0;
const report_failure = (name, error) => { failures++; console.error(`FAILED ${name}\n${error.stack ?? error}`); };

await browse({ viewport: WIDE, colorScheme: "light" }, async (context) => {
  for (const [name, run] of checks) {
    const opened = await open(context, file);
    try {
      await run(opened);
      assert.deepEqual(opened.complaints, []);
      console.log(`ok ${name}`);
    } catch (error) {
      report_failure(name, error);
    }
    await opened.page.close();
  }
});

// Looks: no side is cut off, both colour schemes differ, and axe-core finds nothing. Its script needs the policy off.
const backgrounds = new Set();
for (const [viewport, scheme] of [[WIDE, "light"], [WIDE, "dark"], [NARROW, "light"], [NARROW, "dark"]]) {
  const name = `${viewport.width} px, ${scheme}`;
  await browse({ viewport, colorScheme: scheme, bypassCSP: true }, async (context) => {
    const hashes = ["", ...sites.map((_, index) => `#site-${index}`)];
    const { page, complaints } = await open(context, file);
    await page.evaluate(axe);
    for (const hash of hashes) {
      try {
        await page.evaluate((to) => (location.hash = to || "#all-sites"), hash);
        await page.waitForSelector(hash ? ".title h1" : "#sites");
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= viewport.width, `${hash} is ${width} px wide`);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html).join(" ")}`), [], hash);
      } catch (error) {
        report_failure(`${name} ${hash}`, error);
      }
    }
    backgrounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
    if (complaints.length) report_failure(name, complaints.join("\n"));
    else console.log(`ok ${name}: ${hashes.length} views, no violations`);
  });
}
if (backgrounds.size !== 2) report_failure("light and dark", [...backgrounds].join());
if (failures) {
  console.error(`${failures} failed`);
  process.exit(1);
}
