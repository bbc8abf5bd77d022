// A browser of our own: the system's Chromium without a window, driven by playwright-core.

import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The packages lie below the target folder, not beside this file.
const require = createRequire(join(process.env.FLEX_BROWSER_MODULES, "package.json"));
const { chromium } = require("playwright-core");
export const axe = require("axe-core").source;

/** Runs a function with a context, and ends the browser. */
export async function browse(options, visit) {
  const profile = mkdtempSync(join(tmpdir(), "flex-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.FLEX_BROWSER,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ...options,
  });
  try {
    return await visit(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A page that fails whoever looks at it if it says anything on the console, fails, or asks for anything. */
export async function open(context, file, hash = "") {
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  const own = `file://${file}`;
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !url.startsWith("data:")) complaints.push(`request: ${url}`);
  });
  await page.goto(own + hash);
  await page.waitForSelector("main > *");
  return { page, complaints };
}
