// The pictures of the page in our documentation: node screenshots.mjs PAGE REPORT.json FOLDER

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browse, open } from "./browser.mjs";

const [file, json, folder] = process.argv.slice(2);
const report = JSON.parse(readFileSync(json, "utf8"));
const sites = report.suites.flatMap((suite) => suite.tests.flatMap((test) => test.sites));
const site = `#site-${sites.findIndex((one) => one.race)}`;

for (const [name, hash, height] of [["report.png", "", 760], ["report-site.png", site, 980]]) {
  await browse({ viewport: { width: 1280, height }, colorScheme: "light" }, async (context) => {
    const { page } = await open(context, file, hash);
    await page.screenshot({ path: join(folder, name) });
  });
}
