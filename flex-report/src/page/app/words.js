// Numbers, times and probabilities, as people read them; and elements of the page.

// Numbers are written as the terminal writes them (flex-core/src/words.rs); tests/browser/numbers.json holds both to it.

/** A number of the report; those that JSON does not know are texts. */
function number(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return value;
  return { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] ?? null;
}

/** What is no number that can be written. */
function special(x) {
  if (x === null) return "–";
  if (Number.isNaN(x)) return "NaN";
  return Number.isFinite(x) ? null : x > 0 ? "inf" : "-inf";
}

/** A number with an exponent, as short as it can be. */
function scientific(x, digits) {
  const [mantissa, exponent] = x.toExponential(digits).split("e");
  return `${Number(mantissa)}e${Number(exponent)}`;
}

/** A number with so many digits as tell it from others, without an exponent where that is short. */
function shown(value, digits = 4) {
  const x = number(value);
  const words = special(x);
  if (words !== null) return words;
  if (x === 0) return "0";
  const rounded = Number(x.toPrecision(digits));
  const size = Math.abs(rounded);
  return size < 1e7 && size >= 1e-4 ? String(rounded) : scientific(x, digits - 1);
}

/** All digits of a bound, with an exponent where that is shorter. */
function plain(value) {
  const x = number(value);
  const words = special(x);
  if (words !== null) return words;
  const size = Math.abs(x);
  if (size >= 1e21 || (x !== 0 && size < 1e-6)) return scientific(x);
  const exponent = scientific(x);
  return String(x).length > 12 && exponent.length < String(x).length ? exponent : String(x);
}

/** A probability in percent, to two significant digits. */
function percent(p) {
  if (p === null || p === undefined) return "–";
  const x = 100 * p;
  if (x === 0) return "0%";
  // Only certainty is 100%.
  if (x >= 99 && x < 100) return `${Math.min(x, 99.9).toFixed(1)}%`;
  // What is rounded to 10 has two digits before the point.
  if (x >= 9.95) return `${x.toFixed(0)}%`;
  if (x >= 0.995) return `${x.toFixed(1)}%`;
  return x >= 0.001 ? `${shown(x, 2)}%` : `${x.toExponential(1)}%`;
}

/** A probability in percent, without those digits of a rare one that nobody needs. */
function atLeast(p) {
  return p > 0 && p < 1e-5 ? "< 0.001%" : percent(p);
}

/** A rare event. */
function oneIn(p) {
  return p > 0 ? `1 in ${Math.round(Number((1 / p).toPrecision(4))).toLocaleString("en")}` : "never";
}

/** A time, as a person would say it. */
function seconds(s) {
  if (s === null || s === undefined) return "–";
  const [x, unit] = s < 1e-3 ? [1e6 * s, "µs"] : s < 1 ? [1e3 * s, "ms"] : s < 120 ? [s, "s"] : s < 7200 ? [s / 60, "min"] : [s / 3600, "h"];
  return `${x.toFixed(1).replace(/\.0$/, "")} ${unit}`;
}

function when(at) {
  return new Date(1000 * at).toISOString().slice(0, 16).replace("T", " ") + " UTC";
}

function many(count, one, more = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
}

/** How often unchanged code fails, in words. */
function failureWords(failure) {
  if (!failure) return "–";
  if (failure.basis === "promised") return `≤ ${oneIn(failure.high)}`;
  const ends = failure.low === failure.high ? atLeast(failure.low) : `${atLeast(failure.low)} to ${atLeast(failure.high)}`;
  return failure.estimate === undefined ? ends : failure.low === failure.high ? ends : `${atLeast(failure.estimate)} (${ends})`;
}

/** The signs of grades: never colour alone. */
const SIGNS = { bad: "✕", look: "!", good: "✓", quiet: "·" };

/** An element with attributes and children; texts become text and nothing else. */
function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

/** A name that may go on in the next line after its parts. */
function breakable(name) {
  return name.split(/(?<=[_/.\]]|::)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
}

/** A verdict with its sign. */
function badge(verdict, grade) {
  return h("span", { class: `badge ${grade}` }, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[grade] ?? "·"), verdict);
}

/** A command with a button that copies it. */
function command(text) {
  const button = h("button", { type: "button", class: "copy", "aria-label": `Copy the command ${text}` }, "copy");
  button.addEventListener("click", async () => {
    await copied(text);
    button.textContent = "copied";
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  return h("span", { class: "command" }, h("code", {}, text), button);
}

/** Puts a text into the clipboard, also where pages from disk may not ask for it. */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea", { "aria-hidden": "true", class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
