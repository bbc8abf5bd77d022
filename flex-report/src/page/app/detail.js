// One site: what is known of it, in words and pictures, and the commands that repeat what it saw.

function detail(row) {
  const { site, test, suite } = row;
  const values = unpack(site.series?.[0]);
  const count = site.series?.[0]?.count ?? values.length;
  const lines = boundaries(site.sides);
  const failed = new Set(site.failed_runs ?? []);
  const unit = site.unit ?? "";
  const sections = [
    h("nav", { class: "back", "aria-label": "Sites" },
      h("a", { href: "#all-sites" }, "← all sites"),
      h("span", {}, neighbour(row, -1, "previous"), " ", neighbour(row, 1, "next")),
    ),
    h("div", { class: "title" },
      h("h1", {}, site.site || test.name, site.case ? ` [${site.case}]` : ""),
      h("p", {}, badge(site.verdict, site.grade), " ", h("span", { class: "of" }, test.name), h("span", { class: "where" }, ` ${suite.name} ${test.target ?? ""}`)),
    ),
    facts(row),
    h("div", { class: "words" }, (site.words ?? []).map((words) => h("p", {}, words))),
  ];
  const figures = [];
  if (values.some((value) => value !== null)) {
    const short = values.length < count ? ` The page holds the first ${values.length} of ${count} runs; --format json has all.` : "";
    figures.push(figure("Samples", `Bars count samples, the ticks below are single runs, the line is the part of the samples up to a value.${short}`, histogram(values, lines, unit), true));
  } else if (site.quantiles?.length) {
    figures.push(figure("Samples", "The samples were not kept here; this is drawn from the quantiles in the bounds file.", fromQuantiles(site, lines), true));
  }
  (site.sides ?? []).forEach((side, i) => {
    const own = unpack(site.series?.find((series) => series.sides.includes(side.side)) ?? site.series?.[0]);
    const enough = own.filter((value) => value !== null).length > 4;
    if (!enough || (!side.strategy && !side.fit) || number(side.bound) !== null) return;
    const rate = site.failure?.basis === "promised" ? site.failure.high : null;
    figures.push(figure(site.sides.length > 1 ? `The ${side.side} tail` : "The tail", side.fit ? "Points are samples, the line is the fitted generalised Pareto tail, the band holds it with 95%." : "Points are samples. No tail was fitted.", tail(own, side, rate, unit), true));
    if (side.fit && own.length) figures.push(figure("Quantiles of the excesses", "Where points leave the diagonal, the tail is not the fitted one.", quantiles(own, side), false));
  });
  if (values.some((value) => value !== null)) figures.push(figure("Over runs", failed.size ? "✕ marks runs that broke the bound." : "A trend here would be a bug: runs do not know of each other.", overRuns(values, lines, failed), true));
  if (site.history?.length) figures.push(figure("Over test runs", history(site.history), overTime(site.history, lines, site.sides?.[0]?.side), true));
  if (site.race) figures.push(figure("The last race", raceWords(site.race), walk(site.race), true));
  sections.push(h("div", { class: "figures" }, figures));
  if (site.claim) sections.push(claimSection(site.claim));
  if (site.pending) sections.push(pendingSection(site));
  for (const one of site.compared ?? []) sections.push(comparedSection(one, suite));
  if (site.menu) sections.push(menuSection(site.menu));
  sections.push(seeds(row));
  return sections;
}

function neighbour(row, step, words) {
  const rows = filtered();
  const other = rows[rows.findIndex((one) => one.index === row.index) + step];
  return other ? h("a", { href: `#site-${other.index}`, rel: step < 0 ? "prev" : "next" }, words) : h("span", { class: "off" }, words);
}

function facts({ site, test, suite }) {
  const list = [];
  const fact = (name, value) => {
    if (value !== null && value !== undefined && value !== "" && value !== "–") list.push(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  };
  fact("source", site.file ? h("code", {}, `${site.file}:${site.line}`) : test.file ? h("code", {}, `${test.file}:${test.line}`) : null);
  for (const side of site.sides ?? []) {
    const which = site.sides.length > 1 ? `${side.side} ` : "";
    for (const kind of ["guard", "ceiling", "declared", "bound", "mean"]) {
      if (number(side[kind]) !== null) fact(`${which}${kind}`, h("span", { class: `tier ${kind}`, "data-kind": kind, "data-value": side[kind] }, plain(side[kind])));
    }
    if (side.strategy && side.strategy !== "refuse") fact(`${which}learned by`, side.strategy);
  }
  fact("runs", site.runs ? site.runs.toLocaleString("en") : null);
  fact("fails by chance", site.failure ? `${failureWords(site.failure)}, ${{ promised: "promised", counted: "counted, 95%", tail: "by the tail" }[site.failure.basis]}` : null);
  if (site.catches) {
    const sd = site.catches.shift / site.catches.deviations;
    fact("catches", site.catches.power.map((caught, i) => `${percent(Math.min(caught, 0.999))} of shifts by ${shown((i + 1) * sd, 2)}`).join(", "));
  }
  fact("cost", test.seconds_per_run === undefined ? null : `${seconds(test.seconds_per_run)} a run${test.extra_runs ? `, ${more(test.extra_runs)}` : ""}`);
  fact("calibrated", site.calibrated);
  fact("randomness", test.variability + (test.touches?.length ? `: ${test.touches.join("; ")}` : ""));
  fact("last verdict", test.last ? `${test.last.verdict}, ${when(test.last.at)}` : null);
  fact("bounds file", h("code", {}, suite.bounds_file));
  return h("dl", { class: "facts" }, list);
}

/** Extra runs that are expected. */
function more(runs) {
  const words = shown(runs, 2);
  return `${words} extra ${words === "1" ? "run" : "runs"}`;
}

function figure(title, caption, svg, isWide) {
  return h("figure", { class: isWide ? "wide" : "narrow" }, h("h2", {}, title), svg, h("figcaption", {}, caption));
}

function fromQuantiles(site, lines) {
  const picture = new Picture(`The distribution by ${site.quantiles.length} quantiles, from ${shown(site.quantiles[0])} to ${shown(site.quantiles[site.quantiles.length - 1])}.`, across(), 240, { top: 40, right: 14, bottom: 40, left: 52 });
  const x = linear(rangeWith(site.quantiles, lines.map((line) => line.value)), [picture.left, picture.right]);
  const y = linear([0, 1], [picture.bottom, picture.top]);
  picture.axisY(y, "part of the samples");
  picture.add("path", { class: "ecdf", d: path(site.quantiles.map((value, i) => [x(value), y(LEVELS[i])])) });
  site.quantiles.forEach((value, i) => picture.add("circle", { class: "dot", cx: x(value), cy: y(LEVELS[i]), r: 2.4 }));
  for (const line of lines) picture.mark(x, line.kind, line.value);
  picture.axisX(x, site.unit ?? "");
  return picture.svg;
}

function history(past) {
  const commits = new Set(past.map((one) => one.commit).filter(Boolean)).size;
  const last = past[past.length - 1];
  return `${many(past.length, "run")} of the test${commits ? ` on ${many(commits, "commit")}` : ""}, the last at ${when(last.at)}.`;
}

function raceWords(race) {
  const last = race.sums[race.sums.length - 1];
  const end = last >= race.fail ? "lost: the values have moved" : last <= race.clear ? "cleared: it was chance" : "not settled";
  return `A value of ${shown(race.value)} was held against ${plain(race.bound)} (${race.side}); ${many(race.sums.length - 1, "rerun")} later the race was ${end}. ${when(race.at)}.`;
}

function claimSection(claim) {
  const [low, high] = claim.allowed.map(number);
  const estimate = number(claim.estimate);
  const parts = [h("h2", {}, `The claim: ${claim.claim}`)];
  if (estimate !== null && claim.interval) {
    const ends = claim.interval.map(number);
    const picture = new Picture(`The estimate ${shown(estimate)} with its interval from ${shown(ends[0])} to ${shown(ends[1])}.`, across(), 110, { top: 40, right: 14, bottom: 34, left: 14 });
    const x = linear(rangeWith([...ends, estimate], [low, high].filter((end) => end !== null)), [picture.left, picture.right]);
    const y = (picture.top + picture.bottom) / 2;
    picture.add("line", { class: "interval", x1: x(Math.max(ends[0], x.domain[0])), x2: x(Math.min(ends[1], x.domain[1])), y1: y, y2: y });
    picture.add("circle", { class: "estimate", cx: x(estimate), cy: y, r: 5 });
    if (low !== null) picture.mark(x, "declared", low, `at least ${plain(low)}`);
    if (high !== null) picture.mark(x, "declared", high, `at most ${plain(high)}`);
    picture.axisX(x, "");
    parts.push(picture.svg);
  }
  const runs = claim.runs ? `${many(claim.runs, "run")} with ${many(claim.draws ?? 0, "draw")} decided: ${claim.outcome}.` : "It was not enforced yet.";
  return h("section", { class: "claim" }, parts, h("p", {}, runs));
}

function pendingSection(site) {
  const pending = site.pending;
  const before = unpack(site.series?.[0]);
  const after = unpack(pending.series?.[0]);
  const marks = [
    ...boundaries(site.sides).map((line) => ({ ...line, kind: "before", words: `old ${line.kind} ${plain(line.value)}` })),
    ...boundaries(pending.sides).map((line) => ({ ...line, words: `new ${line.kind} ${plain(line.value)}` })),
  ];
  const pictured = (values, quantiles) => (values.length ? values : quantiles ?? []);
  return h("section", { class: "pending" },
    h("h2", {}, "A new bound waits for a review"),
    h("ul", {}, pending.words.map((words) => h("li", {}, words))),
    figure("Before and after", "The samples that the old bound was learned from, and those of the new one.", overlaid(pictured(before, site.quantiles), pictured(after, pending.quantiles), marks, ["before", "after"]), true),
    h("p", {}, "accept: ", command(pending.accept)),
    h("p", {}, "reject: ", command(pending.reject)),
  );
}

function comparedSection(one, suite) {
  const [old, now] = [unpack(one.old), unpack(one.new)];
  const differences = old.map((value, run) => (value === null || now[run] === null ? null : now[run] - value));
  const shift = one.shift?.map(number);
  const marks = [{ kind: "before", value: 0, words: "no difference" }];
  const versions = suite.compared ? [suite.compared.old, suite.compared.new] : ["old", "new"];
  return h("section", { class: "compared" },
    h("h2", {}, `Compared: ${one.what}`),
    h("p", {}, `${one.verdict}. ${many(one.pairs, "pair")}, ${one.equal} of them equal; mean ${shown(one.old_mean)} before, ${shown(one.new_mean)} after${shift ? `; the median of new less old is ${shown(shift[0])} (99%: ${shown(shift[1])} to ${shown(shift[2])})` : ""}.`),
    h("div", { class: "figures" },
      figure("Both versions", `${versions[0]}, and ${versions[1]}.`, overlaid(old, now, [], versions), true),
      differences.some((value) => value) ? figure("Paired differences", "New less old, under the same seeds.", histogram(differences, marks.map((mark) => ({ ...mark, side: "upper" })), ""), true) : null,
    ),
  );
}

function menuSection(menu) {
  const head = ["", "option", "change", "fails by chance", "extra seconds", "catches 1 sd", "2 sd", "3 sd"];
  const rows = menu.offers.map((offer, i) => h("tr", {},
    h("td", {}, String(i + 1)), h("td", {}, offer.option + (offer.confidence ? ` (${offer.confidence})` : "")), h("td", {}, offer.change || "–"),
    h("td", { class: "number" }, failureWords(offer.false_alarms)), h("td", { class: "number" }, offer.seconds ? seconds(offer.seconds) : "–"),
    offer.power.map((caught) => h("td", { class: "number" }, atLeast(caught))),
  ));
  return h("section", { class: "menu" },
    h("h2", {}, "What can be done, with prices"),
    menu.suspicions.map((words) => h("p", { class: "suspicion" }, badge("look here first", "look"), " ", words)),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What can be done" }, h("table", {}, h("thead", {}, h("tr", {}, head.map((words, i) => h("th", { scope: "col", class: i > 2 ? "number" : null }, words || h("span", { class: "offscreen" }, "number"))))), h("tbody", {}, rows))),
    figure("Prices", "To the left fails more rarely by chance, higher up catches more.", offers(menu), true),
    h("p", {}, "mend it: ", command(menu.command)),
  );
}

/** Runs worth looking at, with the commands that make them again. */
function seeds({ site, test }) {
  const template = site.replay ?? test.replay;
  const items = [];
  const add = (words, text) => items.push(h("li", {}, h("span", { class: "what" }, words), text ? command(text) : null));
  if (test.last?.replay) add(`the last failure, ${when(test.last.at)}`, test.last.replay);
  const runs = new Set();
  const run = (index, words) => {
    if (runs.has(index) || !template) return;
    runs.add(index);
    add(words, template.replace("{run}", index));
  };
  for (const index of (site.failed_runs ?? []).slice(0, 5)) run(index, `run ${index} broke the bound`);
  for (const [index, value] of site.extremes ?? []) run(index, `run ${index}: ${shown(value, 6)}`);
  for (const [index, why] of (test.failures ?? []).slice(0, 3)) run(index, `run ${index} failed by itself: ${why}`);
  if (test.calibrate) add("learn it anew", test.calibrate);
  return items.length ? h("section", { class: "seeds" }, h("h2", {}, "Extreme and failing runs"), h("ul", {}, items)) : null;
}
