// Numbers, times and probabilities, as people read them; and elements of the page.

/** A number with so many digits as tell it from others. */
function shown(value, digits = 4) {
  const x = number(value);
  if (x === null) return "–";
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e6 && size >= 1e-4) return String(Number(x.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  return `${Number(mantissa)}e${Number(exponent)}`.replace(/-/g, "−");
}

/** A probability. */
function percent(p) {
  if (p === null || p === undefined) return "–";
  if (p === 0 || p === 1) return `${100 * p} %`;
  return p < 1e-3 ? oneIn(p) : `${shown(100 * p, 3)} %`;
}

/** How often something is caught. */
function power(p) {
  return p > 0 && p < 1e-3 ? "< 0.1 %" : percent(p);
}

/** A rare event. */
function oneIn(p) {
  if (!(p > 0)) return "never";
  if (p < 1e-9) return `1 in ${shown(1 / p, 2)}`;
  return `1 in ${Math.round(Number((1 / p).toPrecision(3))).toLocaleString("en")}`;
}

function seconds(s) {
  if (s === null || s === undefined) return "–";
  if (s === 0) return "0 s";
  if (s < 1e-3) return `${shown(1e6 * s, 2)} µs`;
  if (s < 1) return `${shown(1e3 * s, 2)} ms`;
  return s < 120 ? `${shown(s, 3)} s` : `${shown(s / 60, 3)} min`;
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
  const ends = `${percent(failure.low)} to ${percent(failure.high)}`;
  return failure.estimate === undefined ? ends : `${percent(failure.estimate)} (${ends})`;
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
