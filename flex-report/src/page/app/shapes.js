// The shape of samples: bins, and the steps of the empirical distribution.

/** Bins of ascending values (Freedman & Diaconis 1981), of whole steps where values lie on a lattice. */
function bins(values, most = 50) {
  const n = values.length;
  const [low, high] = [values[0], values[n - 1]];
  if (!(high > low)) {
    // A constant has a bar as wide as people see it.
    const half = Math.abs(low) / 200 || 0.005;
    return [{ from: low - half, to: low + half, count: n }];
  }
  const distinct = [...new Set(values)];
  if (distinct.length <= 40 && n > 2 * distinct.length) {
    const step = Math.min(...distinct.slice(1).map((value, i) => value - distinct[i]));
    const count = Math.round((high - low) / step) + 1;
    if (count <= 60) {
      const found = Array.from({ length: count }, (_, i) => ({ from: low + (i - 0.5) * step, to: low + (i + 0.5) * step, count: 0 }));
      for (const value of values) found[Math.min(count - 1, Math.round((value - low) / step))].count++;
      return found;
    }
  }
  const spread = quantile(values, 0.75) - quantile(values, 0.25);
  const wanted = spread > 0 ? (2 * spread) / Math.cbrt(n) : (high - low) / 10;
  const count = Math.max(5, Math.min(most, Math.ceil((high - low) / wanted)));
  const width = (high - low) / count;
  const found = Array.from({ length: count }, (_, i) => ({ from: low + i * width, to: low + (i + 1) * width, count: 0 }));
  for (const value of values) found[Math.min(count - 1, Math.floor((value - low) / width))].count++;
  return found;
}

/** The steps of the empirical distribution, not more than a picture can show. */
function steps(values, most = 400) {
  const n = values.length;
  const every = Math.max(1, Math.floor(n / most));
  const found = [];
  for (let i = 0; i < n; i += every) found.push([values[i], i / n], [values[i], (i + 1) / n]);
  if (n) found.push([values[n - 1], 1]);
  return found;
}

/** The excess that a generalised Pareto distribution passes with this probability. */
function excessAt(fit, probability) {
  const hazard = -Math.log(probability);
  return Math.abs(fit.shape) < 1e-9 ? fit.scale * hazard : (fit.scale * Math.expm1(fit.shape * hazard)) / fit.shape;
}

/** What is seen beyond values on a side, the farthest first: value and part of the samples that go as far. */
function farthest(values, side, most = 400) {
  const n = values.length;
  const found = [];
  for (let rank = 1; rank <= Math.min(n, most); rank++) {
    found.push([side === "lower" ? values[rank - 1] : values[n - rank], rank / (n + 1)]);
  }
  return found;
}
