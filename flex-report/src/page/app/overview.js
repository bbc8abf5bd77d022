// The overview: totals, who spends the false-alarm budget, and a table of all sites to sort, filter and search.

const RANK = { bad: 0, look: 1, good: 2, quiet: 3 };
const PAGE = 200;

const first = (sides, kind) => {
  for (const side of sides ?? []) if (number(side[kind]) !== null) return number(side[kind]);
  return null;
};

/** The columns: name, words for those who hear it, what it sorts by, and what it shows. */
const COLUMNS = [
  { id: "verdict", name: "verdict", by: (row) => RANK[row.site.grade] * 100 + row.site.verdict.charCodeAt(0) / 10, show: (row) => badge(row.site.verdict, row.site.grade) },
  { id: "site", name: "test and site", by: (row) => row.text, show: siteCell },
  { id: "shape", name: "samples", hint: "least to greatest, middle 80%, median, bounds", by: (row) => outline(row.site)?.[2] ?? null, show: (row) => strip(row.site) },
  { id: "runs", name: "runs", number: true, by: (row) => row.site.runs, show: (row) => (row.site.runs ? row.site.runs.toLocaleString("en") : "–") },
  { id: "guard", name: "guard", hint: "or the bound of a learned mean or rate", number: true, by: (row) => first(row.site.sides, "guard") ?? first(row.site.sides, "bound"), show: (row) => tier(row, first(row.site.sides, "guard") === null ? "bound" : "guard") },
  { id: "ceiling", name: "ceiling", number: true, by: (row) => first(row.site.sides, "ceiling"), show: (row) => tier(row, "ceiling") },
  { id: "declared", name: "declared", number: true, by: (row) => first(row.site.sides, "declared"), show: (row) => tier(row, "declared") },
  { id: "failure", name: "fails by chance", number: true, by: (row) => row.site.failure?.estimate ?? row.site.failure?.high ?? null, show: failureCell },
  { id: "catches", name: "catches a shift of", number: true, by: (row) => row.site.catches?.shift ?? null, show: catchCell },
  { id: "cost", name: "cost", hint: "seconds per run of the test, with expected extra runs", number: true, by: (row) => cost(row.test), show: (row) => seconds(cost(row.test)) },
  { id: "calibrated", name: "calibrated", by: (row) => row.site.calibrated ?? "", show: (row) => row.site.calibrated ?? "–" },
  { id: "variability", name: "randomness", by: (row) => row.test.variability, show: (row) => h("span", { class: `vary ${row.test.variability}` }, row.test.variability) },
];

function siteCell(row) {
  const suite = REPORT.suites.length > 1 ? row.suite.name : "";
  const where = [suite, row.test.target === "lib" ? "" : row.test.target].filter(Boolean).join(" ");
  return [
    h("a", { href: `#site-${row.index}`, class: "open" }, breakable(row.site.site || row.test.name), row.site.case ? ` [${row.site.case}]` : "", row.site.variant ? ` (${row.site.variant})` : ""),
    h("span", { class: "of" }, breakable(row.test.name), h("span", { class: "where" }, ` ${where}`)),
  ];
}

function tier(row, kind) {
  const found = (row.site.sides ?? []).map((side) => number(side[kind])).filter((value) => value !== null);
  return found.length ? found.map((value) => h("span", { class: "line" }, plain(value))) : "–";
}

function failureCell({ site: { failure } }) {
  if (!failure || failure.basis === "promised" || failure.estimate === undefined) return failureWords(failure);
  return [h("span", {}, percent(failure.estimate)), h("span", { class: "of" }, `${percent(failure.low)} to ${percent(failure.high)}`)];
}

function catchCell(row) {
  const catches = row.site.catches;
  if (!catches) return "–";
  return [h("span", {}, shown(catches.shift, 2)), h("span", { class: "of" }, `${catches.deviations} sd, ${percent(catches.probability)}`)];
}

function cost(test) {
  return test.seconds_per_run === undefined ? null : test.seconds_per_run * (1 + (test.extra_runs ?? 0));
}

/** What the table shows: kept while somebody looks at a site. */
const STATE = { sort: "verdict", down: false, search: "", grade: "", suite: "", variability: "", limit: PAGE };

function filtered() {
  const words = STATE.search.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = ROWS.filter(
    (row) =>
      (!STATE.grade || row.site.grade === STATE.grade) &&
      (!STATE.suite || row.suite.name === STATE.suite) &&
      (!STATE.variability || row.test.variability === STATE.variability) &&
      words.every((word) => row.text.includes(word) || row.site.verdict.includes(word)),
  );
  const column = COLUMNS.find((one) => one.id === STATE.sort);
  const keyed = rows.map((row) => [column.by(row), row]);
  const sign = STATE.down ? -1 : 1;
  keyed.sort(([a, x], [b, y]) => {
    // What is not known comes last, whichever way.
    if (a === null || b === null) return (a === null) - (b === null) || x.index - y.index;
    return sign * (typeof a === "string" ? a.localeCompare(b) : a - b) || x.index - y.index;
  });
  return keyed.map(([, row]) => row);
}

function overview() {
  const body = h("tbody");
  const count = h("p", { id: "count", role: "status", "aria-live": "polite" });
  const more = h("button", { type: "button", id: "more", onclick: () => { STATE.limit += PAGE * 2; draw(); } }, "show more");
  const heads = COLUMNS.map((column) => {
    const button = h("button", { type: "button", title: column.hint ?? null, "data-column": column.id, onclick: () => {
      STATE.down = STATE.sort === column.id ? !STATE.down : false;
      STATE.sort = column.id;
      draw();
    } }, column.name, h("span", { class: "arrow", "aria-hidden": "true" }));
    return h("th", { scope: "col", class: `${column.number ? "number" : ""} c-${column.id}` }, button);
  });
  function draw() {
    const rows = filtered();
    heads.forEach((head, i) => {
      const isIt = COLUMNS[i].id === STATE.sort;
      head.setAttribute("aria-sort", isIt ? (STATE.down ? "descending" : "ascending") : "none");
      head.querySelector(".arrow").textContent = isIt ? (STATE.down ? " ↓" : " ↑") : "";
    });
    body.replaceChildren(...rows.slice(0, STATE.limit).map(tableRow));
    count.textContent = rows.length === ROWS.length ? many(rows.length, "site") : `${rows.length.toLocaleString("en")} of ${many(ROWS.length, "site")}`;
    more.hidden = rows.length <= STATE.limit;
  }
  const table = h("table", { id: "sites" }, h("caption", { class: "offscreen" }, "All sites; the buttons in the first row sort them"), h("thead", {}, h("tr", {}, heads)), body);
  draw();
  window.drawTable = draw;
  return [
    h("h1", { class: "offscreen" }, "flex report"),
    totals(draw),
    budget(),
    notes(),
    h("section", { "aria-labelledby": "all" },
      h("h2", { id: "all" }, "Tests and sites"),
      controls(draw, count),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of all sites" }, table),
      more,
    ),
  ];
}

function tableRow(row) {
  const cells = COLUMNS.map((column) => {
    const words = column.show(row);
    return h("td", { class: `${column.number ? "number" : ""} c-${column.id}${words === "–" ? " nothing" : ""}`, "data-name": column.name }, words);
  });
  return h("tr", { class: row.site.grade, "data-index": row.index }, cells);
}

function totals(draw) {
  const graded = (grade) => ROWS.filter((row) => row.site.grade === grade).length;
  const tests = REPORT.suites.reduce((sum, suite) => sum + suite.tests.length, 0);
  const time = REPORT.suites.flatMap((suite) => suite.tests).reduce((sum, test) => sum + (cost(test) ?? 0), 0);
  const rate = REPORT.suites.reduce((sum, suite) => sum + suite.false_alarm_rate, 0);
  const chip = (grade, words) => h("button", { type: "button", class: `total ${grade}`, "aria-pressed": String(STATE.grade === grade), onclick: (event) => {
    STATE.grade = STATE.grade === grade ? "" : grade;
    for (const other of document.querySelectorAll(".total[aria-pressed]")) other.setAttribute("aria-pressed", "false");
    event.currentTarget.setAttribute("aria-pressed", String(STATE.grade === grade));
    draw();
  } }, h("strong", {}, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[grade]), graded(grade).toLocaleString("en")), h("span", {}, words));
  const fact = (value, words) => h("div", { class: "total" }, h("strong", {}, value), h("span", {}, words));
  return h("section", { class: "totals", "aria-label": "Totals" },
    chip("bad", "failing"), chip("look", "to look at"), chip("good", "fine"), chip("quiet", "quiet"),
    fact(tests.toLocaleString("en"), "tests"),
    fact(ROWS.length.toLocaleString("en"), "sites"),
    fact(seconds(time), "for one run of all"),
    fact(rate ? oneIn(rate) : "–", "false alarms per run of all"),
  );
}

/** A part of a budget, or how often it is spent. */
const part = (share) => (share < 10 ? percent(share) : `${Math.round(share).toLocaleString("en")} times`);

/** Who spends the probability of a false alarm. */
function budget() {
  const suites = REPORT.suites.filter((suite) => suite.false_alarm_rate > 0);
  if (!suites.length) return null;
  const section = h("section", { "aria-labelledby": "budget", class: "budget" }, h("h2", { id: "budget" }, "False-alarm budget"));
  for (const suite of suites) {
    const whole = Math.max(suite.budget ?? 0, suite.false_alarm_rate);
    const spenders = suite.tests.filter((test) => test.false_alarm_rate > 0).sort((a, b) => b.false_alarm_rate - a.false_alarm_rate);
    const words = suite.budget
      ? `${suite.name}: spends ${oneIn(suite.false_alarm_rate)} of a budget of ${oneIn(suite.budget)} (${part(suite.false_alarm_rate / suite.budget)})`
      : `${suite.name}: ${oneIn(suite.false_alarm_rate)} runs of the suite fail by chance, at most; no budget is stated`;
    const isOver = suite.budget && suite.false_alarm_rate > suite.budget * (1 + 1e-9);
    const bar = s("svg", { viewBox: "0 0 600 18", class: "spent", preserveAspectRatio: "none", role: "img", "aria-label": words });
    bar.append(s("rect", { class: "whole", x: 0, y: 0, width: 600, height: 18 }));
    let from = 0;
    const spent = (rate, name, i) => {
      const width = (600 * rate) / whole;
      const rect = s("rect", { class: i % 2 ? "odd" : "even", x: from, y: 0, width: Math.max(0.3, width - 0.6), height: 18 });
      rect.append(s("title", {}, `${name}: ${oneIn(rate)}`));
      bar.append(rect);
      from += width;
    };
    const apart = spenders.slice(0, spenders.length > 60 ? 20 : 60);
    apart.forEach((test, i) => spent(test.false_alarm_rate, test.name, i));
    const others = spenders.slice(apart.length);
    if (others.length) spent(others.reduce((sum, test) => sum + test.false_alarm_rate, 0), many(others.length, "more test"), apart.length);
    if (suite.budget) bar.append(s("line", { class: "mark ceiling", x1: (600 * suite.budget) / whole, x2: (600 * suite.budget) / whole, y1: 0, y2: 18 }));
    const most = spenders.slice(0, 5).map((test) => h("li", {}, h("span", { class: "name" }, test.name), ` ${oneIn(test.false_alarm_rate)}, ${percent(test.false_alarm_rate / whole)}`));
    section.append(h("div", { class: isOver ? "suite over" : "suite" }, h("p", {}, isOver ? [badge("overspent", "bad"), " "] : null, words), bar, h("details", {}, h("summary", {}, spenders.length > most.length ? `The ${most.length} that spend most, of ${many(spenders.length, "test")}` : `Who spends it: ${many(spenders.length, "test")}`), h("ol", {}, most))));
  }
  return section;
}

function notes() {
  const all = REPORT.notes ?? [];
  return all.length ? h("section", { class: "notes", "aria-label": "Notes" }, h("ul", {}, all.map((note) => h("li", {}, note)))) : null;
}

function controls(draw, count) {
  const search = h("input", { type: "search", id: "search", placeholder: "test, site, file or verdict", autocomplete: "off", oninput: (event) => { STATE.search = event.target.value; STATE.limit = PAGE; draw(); } });
  search.value = STATE.search;
  const choice = (id, label, field, values) => {
    const select = h("select", { id, onchange: (event) => { STATE[field] = event.target.value; STATE.limit = PAGE; draw(); } }, h("option", { value: "" }, "all"), values.map((value) => h("option", { value }, value)));
    select.value = STATE[field];
    return values.length > 1 ? h("label", { for: id }, label, select) : null;
  };
  const distinct = (of) => [...new Set(ROWS.map(of))].sort();
  return h("div", { class: "controls", role: "search" },
    h("label", { for: "search" }, "search", search),
    choice("suite", "suite", "suite", distinct((row) => row.suite.name)),
    choice("variability", "randomness", "variability", distinct((row) => row.test.variability)),
    count,
  );
}
