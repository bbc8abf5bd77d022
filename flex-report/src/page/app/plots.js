// The pictures of a site. Each takes values and gives an SVG with a label for those who hear it.

const outward = (side) => (side === "lower" ? "below" : "above");

/** Bars, a tick for each sample, the empirical distribution, and the lines that values are held against. */
function histogram(values, lines, unit) {
  const all = sorted(values);
  const picture = new Picture(
    `Histogram of ${many(all.length, "sample")} from ${shown(all[0])} to ${shown(all[all.length - 1])}, median ${shown(quantile(all, 0.5))}. ` +
      lines.map((line) => `${line.kind} at ${shown(line.value)}`).join(", "),
    across(), 270, { top: 50, right: 44, bottom: 40, left: 52 },
  );
  const found = bins(all);
  const ends = [found[0].from, found[found.length - 1].to];
  const x = linear(rangeWith([...ends, ...all], lines.map((line) => line.value)), [picture.left, picture.right]);
  const y = linear([0, Math.max(...found.map((bin) => bin.count)) * 1.05], [picture.bottom, picture.top]);
  picture.axisY(y, "samples");
  for (const bin of found) {
    const [left, right] = [x(bin.from), x(bin.to)];
    picture.add("rect", { class: "bar", x: left + 0.5, width: Math.max(0.5, right - left - 1), y: y(bin.count), height: round(picture.bottom - y(bin.count)) });
  }
  const every = Math.max(1, Math.floor(all.length / 1500));
  const rug = all.filter((_, i) => i % every === 0).map((value) => `M${x(value)} ${picture.bottom - 6}v6`);
  picture.add("path", { class: "rug", d: rug.join("") });
  const part = linear([0, 1], [picture.bottom, picture.top]);
  picture.add("path", { class: "ecdf", d: path(steps(all).map(([value, p]) => [x(value), part(p)])) });
  for (const tick of [0, 0.5, 1]) picture.text(picture.right + 5, part(tick) + 3.5, `${100 * tick}%`, { class: "number part" });
  for (const line of lines) picture.mark(x, line.kind, line.value, line.words);
  picture.axisX(x, unit);
  return picture.svg;
}

/** How often values go as far, on a logarithmic scale, with the fitted tail and its band. */
function tail(values, side, rate, unit) {
  const all = sorted(values);
  const points = farthest(all, side.side);
  const lines = boundaries([side]);
  const band = side.band ?? [];
  const least = Math.min(rate ?? 1, points.length ? points[0][1] : 1, ...band.map((point) => point[0]));
  const picture = new Picture(
    `The ${side.side} tail: how often values go ${outward(side.side)} a value, from all samples down to 1 in ${shown(1 / least, 2)}. ` +
      lines.map((line) => `${line.kind} at ${shown(line.value)}`).join(", "),
    across(), 270, { top: 50, right: 14, bottom: 40, left: 58 },
  );
  const ends = band.length ? [band[band.length - 1][2]] : [];
  const x = linear(rangeWith(points.map(([value]) => value), [...lines.map((line) => line.value), ...ends]), [picture.left, picture.right]);
  const y = logarithmic([least / 2, 1], [picture.bottom, picture.top]);
  picture.axisY(y, `P(${outward(side.side)})`, 6);
  const clip = `clip-${Math.random().toString(36).slice(2)}`;
  picture.add("clipPath", { id: clip }, s("rect", { x: picture.left, y: picture.top, width: picture.right - picture.left, height: picture.bottom - picture.top }));
  if (band.length) {
    const near = band.map((point) => [x(point[1]), y(point[0])]);
    const far = band.map((point) => [x(point[3]), y(point[0])]).reverse();
    picture.add("path", { class: "band", d: `${path([...near, ...far])}Z`, "clip-path": `url(#${clip})` });
    picture.add("path", { class: "fit", d: path(band.map((point) => [x(point[2]), y(point[0])])), "clip-path": `url(#${clip})` });
  } else if (side.fit) {
    const sign = side.side === "lower" ? -1 : 1;
    const from = side.fit.exceedances / Math.max(all.length, side.fit.exceedances);
    const curve = [];
    for (let p = 1; from * p > least / 2; p *= 0.7) curve.push([x(side.fit.threshold + sign * excessAt(side.fit, p)), y(from * p)]);
    picture.add("path", { class: "fit", d: path(curve), "clip-path": `url(#${clip})` });
  }
  for (const [value, p] of points) picture.add("circle", { class: "dot", cx: x(value), cy: y(p), r: 2.2 });
  if (side.fit) picture.mark(x, "threshold", side.fit.threshold, `tail from ${shown(side.fit.threshold, 3)}`);
  for (const line of lines) picture.mark(x, line.kind, line.value);
  for (const cut of side.cuts ?? []) {
    const at = number(cut);
    if (at >= x.domain[0] && at <= x.domain[1]) picture.add("path", { class: "cut", "data-kind": "cut", "data-value": at, d: `M${x(at)} ${picture.bottom}l-3.5 7h7z` });
  }
  // The band is on the side where values are rare.
  if (rate) picture.level(y, "promised", rate, `promised ${oneIn(rate)}`, side.side === "lower" ? "right" : "left");
  picture.axisX(x, (side.cuts ?? []).length ? `${unit ? `${unit}; ` : ""}▲ cuts of the race` : unit);
  return picture.svg;
}

/** Excesses beside those that the fitted tail expects. */
function quantiles(values, side) {
  const all = sorted(values);
  const sign = side.side === "lower" ? -1 : 1;
  const seen = all.map((value) => sign * (value - side.fit.threshold)).filter((excess) => excess > 0).sort((a, b) => a - b);
  const k = seen.length;
  const expected = seen.map((_, i) => excessAt(side.fit, 1 - (i + 0.5) / k));
  const picture = new Picture(`Quantile plot of ${many(k, "excess", "excesses")}: points on the diagonal follow the fitted tail.`, 300, 270, { top: 26, right: 14, bottom: 40, left: 58 });
  const range = padded([0, ...seen, ...expected], 0.03);
  const x = linear([0, range[1]], [picture.left, picture.right]);
  const y = linear([0, range[1]], [picture.bottom, picture.top]);
  picture.axisY(y, "excess seen", 4);
  picture.axisX(x, "excess expected", 4);
  picture.add("line", { class: "mark threshold", x1: x(0), y1: y(0), x2: x(range[1]), y2: y(range[1]) });
  seen.forEach((excess, i) => picture.add("circle", { class: "dot", cx: x(expected[i]), cy: y(excess), r: 2.4 }));
  return picture.svg;
}

/** Values in the order of runs. */
function overRuns(values, lines, failed) {
  const range = rangeWith(values, lines.map((line) => line.value));
  const picture = new Picture(`Values of ${many(values.length, "run")} in their order. ${failed.size ? `${many(failed.size, "run")} failed.` : ""}`, across(), 230, { top: 26, right: roomWithin(range, lines), bottom: 34, left: 52 });
  const x = linear([0, Math.max(1, values.length - 1)], [picture.left + 4, picture.right - 4]);
  const y = linear(range, [picture.bottom, picture.top]);
  picture.axisY(y, "value");
  picture.axisX(x, "run");
  const radius = values.length > 400 ? 1.3 : 2.2;
  values.forEach((value, run) => {
    if (value === null) return;
    if (failed.has(run)) cross(picture, x(run), y(value), "failed");
    else picture.add("circle", { class: "dot", cx: x(run), cy: y(value), r: radius });
  });
  for (const line of lines) picture.level(y, line.kind, line.value);
  return picture.svg;
}

function cross(picture, x, y, kind) {
  picture.add("path", { class: `cross ${kind}`, d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7` });
}

/** Values of test runs over time, by commit where that is known. */
function overTime(history, lines, side) {
  const key = side === "lower" ? "least" : "greatest";
  const values = history.map((past) => number(past[key]));
  const failed = history.filter((past) => past.verdict === "fail").length;
  const range = rangeWith(values, lines.map((line) => line.value));
  const picture = new Picture(`Values of the last ${many(history.length, "run")} of the test, ${failed} of which failed.`, across(), 240, { top: 26, right: roomWithin(range, lines), bottom: 44, left: 52 });
  const x = linear([-0.5, history.length - 0.5], [picture.left, picture.right]);
  const y = linear(range, [picture.bottom, picture.top]);
  let from = 0;
  for (let i = 1, band = 0; i <= history.length; i++) {
    if (i < history.length && history[i].commit === history[from].commit) continue;
    if (history[from].commit) {
      const [left, right] = [x(from - 0.5), x(i - 0.5)];
      picture.add("rect", { class: `commit ${band++ % 2 ? "odd" : "even"}`, "data-commit": history[from].commit, x: left, width: Math.max(0, right - left), y: picture.top, height: picture.bottom - picture.top });
      if (right - left > 44) picture.text((left + right) / 2, picture.bottom + 15, history[from].commit.slice(0, 7), { class: "number", "text-anchor": "middle" });
    }
    from = i;
  }
  picture.axisY(y, "value");
  picture.add("line", { class: "axis", x1: picture.left, x2: picture.right, y1: picture.bottom, y2: picture.bottom });
  picture.text(picture.right, picture.height - 6, "the last run at the right; ✕ failed, ○ cleared", { class: "unit", "text-anchor": "end" });
  history.forEach((past, i) => {
    if (values[i] === null || !Number.isFinite(values[i])) return;
    if (past.verdict === "fail" || past.verdict === "error") cross(picture, x(i), y(values[i]), "failed");
    else picture.add("circle", { class: past.verdict === "cleared" ? "ring" : "dot", cx: x(i), cy: y(values[i]), r: 3 });
  });
  for (const line of lines) picture.level(y, line.kind, line.value);
  return picture.svg;
}

/** The walk of a race: the sum of scores after each rerun, until it is cleared or lost. */
function walk(race) {
  const last = race.sums[race.sums.length - 1];
  const end = last >= race.fail ? "lost" : last <= race.clear ? "cleared" : "not settled";
  const ends = [`lost at ${race.fail}`, `cleared at ${race.clear}`];
  const picture = new Picture(`The last race: it began at ${race.sums[0]} and was ${end} after ${many(race.sums.length - 1, "rerun")} at ${last}; cleared at ${race.clear}, lost at ${race.fail}.`, across(), 230, { top: 26, right: roomFor(ends), bottom: 34, left: 52 });
  const x = linear([0, Math.max(1, race.sums.length - 1)], [picture.left + 4, picture.right - 4]);
  const y = linear(padded([race.clear, race.fail, ...race.sums]), [picture.bottom, picture.top]);
  picture.axisY(y, "sum of scores");
  picture.axisX(x, "rerun", Math.min(8, race.sums.length));
  picture.level(y, "ceiling", race.fail, ends[0]);
  picture.level(y, "cleared", race.clear, ends[1]);
  picture.add("path", { class: "walk", d: path(race.sums.map((sum, i) => [x(i), y(sum)])) });
  race.sums.forEach((sum, i) => picture.add("circle", { class: "dot", cx: x(i), cy: y(sum), r: 2.4 }));
  return picture.svg;
}

/** Two empirical distributions over each other, with a tick for each sample below. */
function overlaid(before, after, marks, names) {
  const [old, now] = [sorted(before), sorted(after)];
  const picture = new Picture(`${names[0]}: median ${shown(quantile(old, 0.5))}; ${names[1]}: median ${shown(quantile(now, 0.5))}.`, across(), 270, { top: 62, right: 14, bottom: 40, left: 52 });
  const x = linear(rangeWith([...old, ...now], marks.map((line) => line.value)), [picture.left, picture.right]);
  const y = linear([0, 1], [picture.bottom, picture.top]);
  picture.axisY(y, "part of the samples");
  picture.add("path", { class: "ecdf before", d: path(steps(old).map(([value, p]) => [x(value), y(p)])) });
  picture.add("path", { class: "ecdf after", d: path(steps(now).map(([value, p]) => [x(value), y(p)])) });
  const rug = (values, at) => values.filter((_, i) => i % Math.max(1, Math.floor(values.length / 600)) === 0).map((value) => `M${x(value)} ${at}v5`).join("");
  picture.add("path", { class: "rug before", d: rug(old, picture.bottom - 11) });
  picture.add("path", { class: "rug after", d: rug(now, picture.bottom - 5) });
  const middle = (x.domain[0] + x.domain[1]) / 2;
  const passed = [...old, ...now].filter((value) => value < middle).length;
  legend(picture, names, passed > (old.length + now.length) / 2);
  for (const line of marks) picture.mark(x, line.kind, line.value, line.words);
  picture.axisX(x, "");
  return picture.svg;
}

/** What the two lines are, where they do not pass: below them at the right, or above them at the left. */
function legend(picture, names, isBelow) {
  const [x, out, anchor] = isBelow ? [picture.right - 8, -1, "end"] : [picture.left + 8, 1, "start"];
  ["before", "after"].forEach((which, i) => {
    const y = (isBelow ? picture.bottom - 46 : picture.top + 14) + 16 * i;
    picture.add("line", { class: `ecdf ${which}`, x1: x, x2: x + 22 * out, y1: y, y2: y });
    picture.text(x + 27 * out, y + 4, names[i], { class: "name", "text-anchor": anchor });
  });
}

/** What can be done about an assertion: how often it fails by chance, and what it catches. */
function offers(menu) {
  const rates = menu.offers.map((offer) => Math.max(1e-9, offer.false_alarms.estimate ?? offer.false_alarms.high));
  const picture = new Picture(`${many(menu.offers.length, "option")}: how often unchanged code fails, and how often a shift of two standard deviations is caught.`, across(), 270, { top: 26, right: 20, bottom: 40, left: 52 });
  const x = logarithmic([Math.min(...rates) / 3, Math.max(...rates, 1e-2) * 3], [picture.left, picture.right]);
  const y = linear([0, 1.05], [picture.bottom, picture.top]);
  y.words = percent;
  picture.axisY(y, "catches 2 sd");
  picture.axisX(x, "fails by chance (options by their numbers in the table)");
  const placed = [];
  menu.offers.forEach((offer, i) => {
    const [left, top] = [x(rates[i]), y(offer.power[1])];
    const [cx, cy] = freePlace(picture, placed, left, top);
    placed.push([cx, cy]);
    if (cx !== left || cy !== top) {
      picture.add("path", { class: "leader", d: `M${left} ${top}L${cx} ${cy}` });
      picture.add("circle", { class: "at", "data-number": i + 1, cx: left, cy: top, r: 2.5 });
    }
    picture.add("circle", { class: "option", "data-option": offer.option, cx, cy, r: 9 });
    picture.text(cx, cy + 3.8, String(i + 1), { class: "inside", "text-anchor": "middle" });
  });
  return picture.svg;
}

/** Where the number of an option can stand: at its place, or as near as no other covers it; a line leads to its place. */
function freePlace(picture, placed, left, top) {
  const isFree = ([cx, cy]) =>
    cx > picture.left && cx < picture.right && cy > 9 && cy < picture.bottom && placed.every(([x, y]) => Math.hypot(x - cx, y - cy) >= 19);
  for (let ring = 0; ring < 12; ring++) {
    for (const [right, down] of [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]]) {
      const place = [left + 20 * ring * right, top + 20 * ring * down];
      if (isFree(place)) return place;
    }
  }
  return [left, top];
}

/** The strip of a row: least to greatest, the middle 80%, the median, and the bounds. */
function strip(site) {
  const drawn = outline(site);
  if (!drawn) return "";
  const lines = boundaries(site.sides);
  const [width, height] = [150, 22];
  const x = linear(rangeWith([drawn[0], drawn[4]], lines.map((line) => line.value)), [3, width - 3]);
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "strip", preserveAspectRatio: "xMinYMid", role: "img", "aria-label": `from ${shown(drawn[0])} to ${shown(drawn[4])}, median ${shown(drawn[2])}` });
  const [low, p10, median, p90, high] = drawn.map(x);
  svg.append(s("line", { class: "whisker", x1: low, x2: high, y1: 11, y2: 11 }));
  svg.append(s("rect", { class: "box", x: p10, width: Math.max(1, p90 - p10), y: 6, height: 10 }));
  svg.append(s("line", { class: "median", x1: median, x2: median, y1: 5, y2: 17 }));
  for (const line of lines) {
    if (line.value < x.domain[0] || line.value > x.domain[1]) continue;
    svg.append(s("line", { class: `mark ${line.kind}`, x1: x(line.value), x2: x(line.value), y1: 1, y2: 21 }));
  }
  return svg;
}
