// Looks at a page of plat as it is printed: its rules for paper hold for the screen (see ../browser.rs), and nothing
// of it may stick out of the sheet, be cut off, or be unreadable, whatever theme is set.
(async () => {
  const wrong = window.wrongs;
  const check = (holds, what) => holds || wrong.push(what);
  await new Promise((done) => setTimeout(done, 200));
  const did = { width: innerWidth, tables: 0, charts: 0, pairs: 0 };
  const shown = (it) => it.getClientRects().length > 0;
  for (const theme of ["dark", "light"]) {
    document.documentElement.dataset.theme = theme;
    await new Promise((done) => setTimeout(done, 50));
    did.pairs += unreadable(`paper, ${theme}`, wrong);
  }
  check(document.documentElement.scrollWidth <= innerWidth, `wider than the sheet: ${document.documentElement.scrollWidth}`);
  for (const table of [...document.querySelectorAll("table")].filter(shown)) {
    const box = table.getBoundingClientRect();
    check(box.right <= innerWidth + 1, `a table is cut off: ${table.tHead?.textContent.slice(0, 60)} ${box.right}`);
    for (let it = table.parentElement; it; it = it.parentElement) {
      const style = getComputedStyle(it);
      check(style.overflowY === "visible" || it.scrollHeight <= it.clientHeight + 1, "a part of a table is not on the sheet");
    }
    did.tables++;
  }
  for (const chart of [...document.querySelectorAll(".chart svg")].filter(shown)) {
    check(chart.getBoundingClientRect().width > 150, "a chart is too small to be read");
    did.charts++;
  }
  check([...document.querySelectorAll("button, input")].every((it) => !shown(it) || it.closest("th")), "a control is printed");
  parent.postMessage(JSON.stringify({ wrong, did }), "*");
})();
