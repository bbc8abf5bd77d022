// The data of the page: sites as rows with their tests and suites, and samples, unpacked when somebody looks.

const REPORT = JSON.parse(document.getElementById("data").textContent);

/** One row for each site; a test without sites has one of its own. */
const ROWS = [];
for (const suite of REPORT.suites) {
  for (const test of suite.tests) {
    test.suite = suite;
    const sites = test.sites.length ? test.sites : [{ site: "", kind: "test", verdict: "unknown", grade: "quiet", words: [], runs: 0 }];
    for (const site of sites) {
      ROWS.push({ index: ROWS.length, suite, test, site, text: `${test.name} ${test.target ?? ""} ${site.site} ${site.case ?? ""} ${site.file ?? ""} ${suite.name}`.toLowerCase() });
    }
  }
}

/** The values of a packed series by run; null where there is none. */
function unpack(series) {
  if (!series || !series.data) return [];
  if (series.unpacked) return series.unpacked;
  const bytes = atob(series.data);
  const step = (series.high - series.low) / 65534;
  const values = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    const packed = bytes.charCodeAt(i) | (bytes.charCodeAt(i + 1) << 8);
    values.push(packed === 65535 ? null : series.low + packed * step);
  }
  series.unpacked = values;
  return values;
}

/** The values that there are, ascending. */
function sorted(values) {
  return values.filter((value) => value !== null).sort((a, b) => a - b);
}

const LEVELS = [0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 1];

/** A quantile of ascending values. */
function quantile(values, part) {
  if (!values.length) return null;
  const place = part * (values.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (values[above] - values[below]) * (place - below);
}

/** The quantiles that are drawn in a row: least, 10%, median, 90%, greatest. */
function outline(site) {
  if (site.outline !== undefined) return site.outline;
  const q = site.quantiles;
  if (q && q.length === LEVELS.length) {
    site.outline = [q[0], q[4], q[8], q[12], q[16]];
  } else {
    const values = sorted(unpack(site.series?.[0]));
    site.outline = values.length ? [0, 0.1, 0.5, 0.9, 1].map((part) => quantile(values, part)) : null;
  }
  return site.outline;
}

/** The lines of a site: what it is held against, on which side. */
function boundaries(sides) {
  const lines = [];
  for (const side of sides ?? []) {
    for (const kind of ["guard", "ceiling", "declared", "bound", "mean"]) {
      const value = number(side[kind]);
      if (value !== null) lines.push({ kind, value, side: side.side });
    }
  }
  return lines;
}
