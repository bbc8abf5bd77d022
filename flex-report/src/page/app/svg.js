// Pictures: an element of SVG, scales, and axes with numbers that people would have chosen.

const SVG = "http://www.w3.org/2000/svg";

/** An element of SVG. */
function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const round = (x) => Math.round(x * 100) / 100;

/** A scale from values to places. */
function linear([from, to], [start, end]) {
  const width = to - from || 1;
  const scale = (value) => round(start + ((value - from) / width) * (end - start));
  scale.domain = [from, to];
  scale.ticks = (count) => ticks(from, to, count);
  scale.words = (value) => shown(value, 6);
  return scale;
}

/** The same for logarithms, with a tick at powers of ten. */
function logarithmic([from, to], [start, end]) {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const scale = (value) => round(start + ((Math.log10(value) - low) / (high - low || 1)) * (end - start));
  scale.domain = [from, to];
  scale.ticks = (count) => {
    const powers = [];
    const step = Math.max(1, Math.ceil((high - low) / count));
    for (let power = Math.ceil(low - 1e-9); power <= high + 1e-9; power += step) powers.push(10 ** power);
    return powers;
  };
  scale.words = (value) => (value >= 1e-3 ? shown(value) : `1e${Math.round(Math.log10(value))}`);
  return scale;
}

/** Round numbers between two: about so many (Heckbert 1990). */
function ticks(from, to, count) {
  if (!(to > from)) return [from];
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const far = (nice) => Math.abs(Math.log(nice * power / rough));
  const step = [1, 2, 5, 10].reduce((best, nice) => (far(nice) < far(best) ? nice : best)) * power;
  const found = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) found.push(i * step);
  return found;
}

/** How wide a picture is drawn: on a narrow screen no wider than that, so that its words stay as large as others. */
function across() {
  return Math.max(300, Math.min(620, document.documentElement.clientWidth - 28));
}

/** The width of a name in a picture, in the font of the page. */
const RULER = document.createElement("canvas").getContext("2d");
RULER.font = `11px ${getComputedStyle(document.body).fontFamily}`;
const wide = (words) => RULER.measureText(words).width;

/** What is written beside a line. */
const named = (line) => line.words ?? `${line.kind} ${plain(line.value)}`;

/** The room at the right of a picture for the names of lines across it, where the screen has any. */
function roomFor(names) {
  return across() < 480 ? 14 : Math.max(14, ...names.map((words) => wide(words) + 10));
}

/** The same for those lines that are within a range of values. */
function roomWithin([from, to], lines) {
  return roomFor(lines.filter((line) => line.value >= from && line.value <= to).map(named));
}

/** A drawing area with a frame of axes. */
class Picture {
  constructor(label, width = across(), height = 250, margin = { top: 26, right: 14, bottom: 34, left: 52 }) {
    Object.assign(this, { width, height, margin });
    this.left = margin.left;
    this.right = width - margin.right;
    this.top = margin.top;
    this.bottom = height - margin.bottom;
    this.svg = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "plot" });
    this.taken = [];
    this.levels = [];
  }

  add(name, attributes, ...children) {
    const element = s(name, attributes, ...children);
    this.svg.append(element);
    return element;
  }

  text(x, y, words, more = {}) {
    return this.add("text", { x, y, ...more }, words);
  }

  axisX(scale, words, count = 6) {
    this.add("line", { class: "axis", x1: this.left, x2: this.right, y1: this.bottom, y2: this.bottom });
    for (const tick of scale.ticks(Math.min(count, Math.floor((this.right - this.left) / 72)))) {
      const x = scale(tick);
      this.add("line", { class: "tick", x1: x, x2: x, y1: this.bottom, y2: this.bottom + 4 });
      this.text(x, this.bottom + 16, scale.words(tick), { class: "number", "text-anchor": "middle" });
    }
    this.text(this.right, this.height - 4, words, { class: "unit", "text-anchor": "end" });
  }

  axisY(scale, words, count = 4) {
    for (const tick of scale.ticks(count)) {
      const y = scale(tick);
      this.add("line", { class: "grid", x1: this.left, x2: this.right, y1: y, y2: y });
      this.text(this.left - 6, y + 3.5, scale.words(tick), { class: "number", "text-anchor": "end" });
    }
    this.text(4, 11, words, { class: "unit" });
  }

  /** A vertical line at a value, with its name above; where it does not fit in, an arrow at the edge. */
  mark(scale, kind, value, words = `${kind} ${plain(value)}`) {
    const [from, to] = scale.domain;
    const isOut = value < from || value > to;
    const x = isOut ? (value < from ? this.left : this.right) : scale(value);
    if (!isOut) {
      this.add("line", { class: `mark ${kind}`, "data-kind": kind, "data-value": value, x1: x, x2: x, y1: this.top, y2: this.bottom });
    }
    const name = isOut ? (value < from ? `← ${words}` : `${words} →`) : words;
    const width = wide(name);
    const anchor = x + width / 2 > this.right ? "end" : x - width / 2 < this.left ? "start" : "middle";
    const start = anchor === "end" ? x - width : anchor === "start" ? x : x - width / 2;
    // Names that would cover each other stand above each other.
    let row = 0;
    while (this.taken.some((other) => other.row === row && start < other.end + 4 && other.start < start + width + 4)) row++;
    this.taken.push({ row, start, end: start + width });
    this.text(x, this.top - 6 - 12 * row, name, { class: `name ${kind}`, "text-anchor": anchor });
  }

  /** A horizontal line at a value, with its name beside it, at the right where there is room for names. */
  level(scale, kind, value, words = `${kind} ${plain(value)}`, side = "right") {
    const [from, to] = scale.domain;
    if (value < Math.min(from, to) || value > Math.max(from, to)) return;
    const y = scale(value);
    this.add("line", { class: `mark ${kind}`, "data-kind": kind, "data-value": value, x1: this.left, x2: this.right, y1: y, y2: y });
    const isOutside = this.margin.right >= wide(words);
    // Names that would cover each other stand below each other.
    let at = isOutside ? y + 3.5 : y - 3;
    while (this.levels.some((other) => Math.abs(other - at) < 11)) at += 1;
    this.levels.push(at);
    const place = isOutside ? [this.right + 6, "start"] : side === "left" ? [this.left + 4, "start"] : [this.right, "end"];
    this.text(place[0], at, words, { class: `name ${kind}`, "text-anchor": place[1] });
  }
}

/** A path through points. */
function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("");
}

/** A range with some air around it. */
function padded(values, part = 0.04) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value !== null && Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!(low <= high)) return [0, 1];
  if (!part) return [low, high];
  const air = (high - low) * part || Math.abs(high) * part || 1;
  return [low - air, high + air];
}

/** The range of values with those lines that do not squeeze them. */
function rangeWith(values, lines) {
  const [low, high] = padded(values, 0);
  const width = high - low || Math.abs(high) || 1;
  const near = lines.filter((line) => line > low - 2.5 * width && line < high + 2.5 * width);
  return padded([low, high, ...near]);
}
