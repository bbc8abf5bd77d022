// The page itself: which view is shown, keys, and what is printed.

const MAIN = document.getElementById("main");

function show() {
  const found = /^#site-(\d+)$/.exec(location.hash);
  const row = found && ROWS[Number(found[1])];
  MAIN.replaceChildren(...(row ? detail(row) : overview()).filter(Boolean));
  document.body.className = row ? "one" : "all";
  document.title = row ? `${row.site.site || row.test.name} – flex report` : "flex report";
  return row;
}

window.addEventListener("hashchange", (event) => {
  const cameFrom = /#site-\d+$/.exec(event.oldURL);
  if (show()) {
    window.scrollTo(0, 0);
    MAIN.focus({ preventScroll: true });
  } else if (cameFrom) {
    // Whoever comes back finds the place where they left.
    document.querySelector(`a[href="${cameFrom[0]}"]`)?.focus();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    if (location.hash.startsWith("#site-")) location.hash = "#all-sites";
    setTimeout(() => document.getElementById("search")?.focus(), 0);
  } else if (event.key === "Escape" && location.hash.startsWith("#site-")) {
    location.hash = "#all-sites";
  } else if ((event.key === "j" || event.key === "k") && !isTyping) {
    document.querySelector(`.back a[rel="${event.key === "j" ? "next" : "prev"}"]`)?.click();
  }
});

// Pictures are as wide as the screen, where that is narrow.
let drawnAcross = across();
window.addEventListener("resize", () => {
  if (across() === drawnAcross) return;
  drawnAcross = across();
  if (document.body.className === "one") show();
});

// On paper there is no button for more.
window.addEventListener("beforeprint", () => {
  if (document.body.className !== "all") return;
  STATE.limit = Math.max(STATE.limit, 2000);
  window.drawTable();
});

document.getElementById("made").textContent = `made ${when(REPORT.made_at)}`;
show();
performance.mark("drawn");
