// The page of a report, as people use it: in a real browser, by mouse and by keyboard, in light and dark, wide and narrow.
//
// node check.mjs PAGE REPORT.json

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { axe, browse, open } from "./browser.mjs";

const [file, json] = process.argv.slice(2);
const report = JSON.parse(readFileSync(json, "utf8"));
const sites = report.suites.flatMap((suite) => suite.tests.flatMap((test) => test.sites.map((site) => ({ ...site, test, suite }))));
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

check("suites of Rust and pytest stand on one page, and both selections narrow it", async ({ page }) => {
  const rows = () => page.locator("#sites tbody tr").count();
  const expect = async (id, choice, of) => {
    const wanted = sites.filter((site) => of(site) === choice).length;
    assert.ok(wanted > 0 && wanted < sites.length, `${id}: ${choice}`);
    await page.locator(`#${id}`).selectOption(choice);
    assert.equal(await rows(), wanted, `${id}: ${choice}`);
    await page.locator(`#${id}`).selectOption("");
    assert.equal(await rows(), sites.length);
  };
  assert.deepEqual(report.suites.map((suite) => suite.runner), ["cargo", "pytest"]);
  for (const suite of report.suites) await expect("suite", suite.name, (site) => site.suite.name);
  await expect("variability", "fixed", (site) => site.test.variability);
  await expect("variability", "controlled", (site) => site.test.variability);
});

check("a site opens and closes by keyboard, and the focus comes back", async ({ page }) => {
  const link = page.locator("a.open").first();
  await link.focus();
  const target = await link.getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:not(.offscreen)");
  assert.ok((await page.url()).endsWith(target));
  await page.keyboard.press("j");
  await page.waitForFunction((old) => document.querySelector('.back a[rel="prev"]')?.getAttribute("href") === old, target);
  await page.keyboard.press("k");
  await page.waitForFunction((old) => location.hash === old, target);
  await page.keyboard.press("Escape");
  await page.waitForSelector("#sites");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")), target);
});

check("lines stand where their values are on the axes of every picture", async ({ page }) => {
  const drawn = { across: 0, level: 0, promised: 0 };
  for (const [index, site] of sites.entries()) {
    if (!site.series?.length) continue;
    await page.evaluate((hash) => (location.hash = hash), `#site-${index}`);
    await page.waitForFunction((name) => document.querySelector("h1")?.textContent.startsWith(name), shownName(site));
    const bounds = (site.sides ?? []).flatMap((side) => ["guard", "ceiling", "declared", "bound", "mean"].map((kind) => [kind, side[kind]])).filter(([, value]) => value !== undefined);
    const pictures = await page.evaluate(readPictures);
    for (const { x, y, marks, walks } of pictures) {
      for (const { kind, value, across, at } of marks) {
        const of = `${site.site}: ${kind} ${value}`;
        const near = placeOn(across ? x : y, value);
        assert.ok(Math.abs(at - near) < 1, `${of} at ${at}, not ${near}`);
        drawn[across ? "across" : "level"]++;
        if (kind === "promised") drawn.promised++;
        else if (kind !== "threshold" && !walks) assert.ok(bounds.some(([known, bound]) => known === kind && bound === value) || site.pending || site.compared, of);
      }
    }
    const first = pictures[0].marks.length;
    assert.ok(first > 0 || !bounds.length || site.verdict === "refused" || (await page.locator("text.name", { hasText: "→" }).count()), site.site);
  }
  assert.ok(drawn.across > 20 && drawn.level > 10 && drawn.promised > 3, JSON.stringify(drawn));
});

check("options stand where they fail by chance and what they catch, and none covers another", async ({ page }) => {
  const index = sites.findIndex((site) => site.menu);
  await page.evaluate((hash) => (location.hash = hash), `#site-${index}`);
  await page.waitForSelector("circle.option");
  const { offers } = sites[index].menu;
  const picture = (await page.evaluate(readPictures)).find((one) => one.options.length);
  assert.equal(picture.options.length, offers.length);
  for (const [i, offer] of offers.entries()) {
    const { at, shown } = picture.options[i];
    const rate = Math.max(1e-9, offer.false_alarms.estimate ?? offer.false_alarms.high);
    const [left, top] = [placeOn(picture.x, rate), placeOn(picture.y, offer.power[1])];
    assert.ok(Math.hypot(at[0] - left, at[1] - top) < 1, `${offer.option}: ${at}, not ${left},${top}`);
    for (const other of picture.options.slice(0, i)) assert.ok(Math.hypot(shown[0] - other.shown[0], shown[1] - other.shown[1]) > 18, offer.option);
  }
  // Some do have the same place.
  assert.ok(picture.options.some(({ at, shown }) => at[0] !== shown[0] || at[1] !== shown[1]));
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
  await show((site) => site.verdict === "refused");
  assert.equal((await page.locator(".words").textContent()).split("which is often a bug").length, 2, "a refusal is said once");
  await show((site) => site.kind === "claim");
  assert.equal(await page.locator("circle.estimate").count(), 1);
  const held = await show((site) => site.sides?.some((side) => side.bound !== undefined));
  const bound = await page.locator("line.mark.bound[data-value]").first().getAttribute("data-value");
  assert.equal(Number(bound), held.sides[0].bound);
  assert.equal(await page.locator("circle.estimate").count(), 1);
});

check("numbers are written as the terminal writes them", async () => {
  const source = readFileSync(new URL("../../flex-report/src/page/app/words.js", import.meta.url), "utf8");
  const words_of = new Function(`${source}; return { short: shown, plain, percent, duration: seconds, one_in: oneIn };`)();
  const rows = JSON.parse(readFileSync(new URL("numbers.json", import.meta.url), "utf8"));
  for (const [kind, value, words] of rows) {
    assert.equal(words_of[kind](value), words, `${kind} ${value}`);
  }
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

/** In the page: of each picture the numbers on its axes with their places, its lines, and its options. */
function readPictures() {
  const place = (element, name) => Number(element.getAttribute(name));
  const all = (svg, selector) => [...svg.querySelectorAll(selector)];
  return [...document.querySelectorAll("figure svg.plot")].map((svg) => {
    const axis = (lines, along, isNumber) =>
      all(svg, lines).map((line) => {
        const text = all(svg, "text.number").find((text) => isNumber(text, line));
        const words = text.textContent.replace("−", "-");
        return [words.endsWith("%") ? Number.parseFloat(words) / 100 : Number(words), place(line, along)];
      });
    return {
      x: axis("line.tick", "x1", (text, line) => text.getAttribute("text-anchor") === "middle" && place(text, "x") === place(line, "x1")),
      y: axis("line.grid", "y1", (text, line) => text.getAttribute("text-anchor") === "end" && Math.abs(place(text, "y") - 3.5 - place(line, "y1")) < 0.01),
      marks: all(svg, "line.mark[data-kind]").map((line) => {
        const across = place(line, "x1") === place(line, "x2");
        return { kind: line.dataset.kind, value: Number(line.dataset.value), across, at: place(line, across ? "x1" : "y1") };
      }),
      walks: svg.querySelector("path.walk") !== null,
      options: all(svg, "circle.option").map((circle, i) => {
        const shown = [place(circle, "cx"), place(circle, "cy")];
        const at = svg.querySelector(`circle.at[data-number="${i + 1}"]`);
        return { shown, at: at ? [place(at, "cx"), place(at, "cy")] : shown };
      }),
    };
  });
}

/** In the page: what people could not read in its pictures. Words cover each other or are small, or bars leave the axes. */
function unreadable() {
  const found = [];
  for (const svg of document.querySelectorAll("figure svg.plot")) {
    const of = svg.closest("figure").querySelector("h2").textContent;
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim()).map((text) => [text.textContent, text.getBoundingClientRect()]);
    const frame = svg.getBoundingClientRect();
    const scale = frame.width / svg.viewBox.baseVal.width;
    if (scale < 0.9) found.push(`${of}: words are shown at ${Math.round(100 * scale)}% of their size`);
    texts.forEach(([words, at], i) => {
      if (at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1) found.push(`${of}: "${words}" is cut off`);
      for (const [other, its] of texts.slice(0, i)) {
        const width = Math.min(at.right, its.right) - Math.max(at.left, its.left);
        const height = Math.min(at.bottom, its.bottom) - Math.max(at.top, its.top);
        if (width > 1 && height > 4) found.push(`${of}: "${words}" covers "${other}"`);
      }
    });
    const axis = svg.querySelector("line.axis")?.getBoundingClientRect();
    for (const bar of svg.querySelectorAll("rect.bar")) {
      const at = bar.getBoundingClientRect();
      if (axis && (at.left < axis.left - 1 || at.right > axis.right + 1)) found.push(`${of}: a bar leaves the axes`);
    }
  }
  return [...new Set(found)];
}

/** Where a value is on an axis, by the numbers that stand there: evenly, or by powers of ten. */
function placeOn(axis, value) {
  const [[from, start], [to, end]] = [axis[0], axis[axis.length - 1]];
  assert.ok(axis.length > 1, JSON.stringify(axis));
  const [second, its] = axis[1];
  const even = start + ((second - from) / (to - from)) * (end - start);
  const isPowers = axis.every(([number]) => number > 0 && Number.isInteger(Math.round(Math.log10(number) * 1e9) / 1e9)) && (axis.length < 3 || Math.abs(even - its) > 1);
  const of = isPowers ? Math.log10 : (number) => number;
  return start + ((of(value) - of(from)) / (of(to) - of(from))) * (end - start);
}

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

// Looks: no side is cut off, no words cover others, both colour schemes differ, and axe-core finds nothing. Its script needs the policy off.
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
        assert.deepEqual(await page.evaluate(unreadable), [], hash);
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
