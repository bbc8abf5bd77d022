// When a page is seen: node paint.mjs PAGE prints the first paint, the table and a sorted one, in milliseconds.

import { browse } from "./browser.mjs";

const [file] = process.argv.slice(2);

await browse({ viewport: { width: 1280, height: 900 } }, async (context) => {
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  await page.waitForSelector("#sites tbody tr");
  const table = await page.evaluate(() => performance.now());
  // The browser tells of a paint soon after it.
  const paint = await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  const sorted = await page.evaluate(() => {
    const heading = [...document.querySelectorAll("#sites thead button")].find((button) => button.textContent.includes("runs"));
    const began = performance.now();
    heading.click();
    document.querySelector("#sites tbody tr").getBoundingClientRect();
    return performance.now() - began;
  });
  console.log(JSON.stringify({ paint: await paint.jsonValue(), table, sorted }));
});
