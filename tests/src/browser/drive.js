// Drives a page of plat in a browser: every link and every control, and says in the end what was wrong.
// The recorder of errors stands before the page's own scripts; see ../browser.rs.
(async () => {
  const wrong = window.wrongs;
  const check = (holds, what) => holds || wrong.push(what);
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const shown = (it) => it.getClientRects().length > 0;
  await wait(200);
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const did = { links: 0, sorted: 0, filtered: 0, sources: 0, trees: 0, buttons: 0, charts: 0, pairs: 0, width: innerWidth };

  const drive = async () => {
    check(document.documentElement.scrollWidth <= innerWidth, `wider than the window: ${document.documentElement.scrollWidth}`);
    for (const link of document.querySelectorAll("a[href]")) {
      const target = document.getElementById(link.getAttribute("href").replace(/^#/, ""));
      check(target, `a link leads nowhere: ${link.outerHTML}`);
      did.links++;
    }
    for (const button of [...document.querySelectorAll("[data-sort]")].filter(shown)) {
      const head = button.closest("th");
      const rows = [...button.closest("table").tBodies[0].rows];
      const orders = () => [...button.closest("table").tBodies[0].rows].map((row) => row.cells[head.cellIndex].dataset.order);
      button.click();
      if (head.classList.contains("number") && rows.every((row) => row.cells[head.cellIndex].dataset.order)) {
        const numbers = orders().map(Number);
        check(numbers.every((it, at) => at === 0 || numbers[at - 1] >= it), `not sorted by ${button.textContent}`);
      }
      button.click();
      check(head.getAttribute("aria-sort"), `not sorted: ${button.textContent}`);
      did.sorted++;
    }
    for (const field of [...document.querySelectorAll("[data-filter]")].filter(shown)) {
      const rows = [...field.nextElementSibling.querySelectorAll("tbody tr")];
      const type = (text) => {
        field.value = text;
        field.dispatchEvent(new Event("input"));
      };
      type("no such row");
      check(rows.every((row) => row.hidden), "a filter keeps rows");
      type("");
      check(rows.every((row) => !row.hidden), "a filter does not give rows back");
      did.filtered++;
    }
    for (const button of [...document.querySelectorAll("[data-source]")].filter(shown)) {
      button.click();
      const viewer = document.querySelector(`[data-viewer="${button.dataset.run}"]`);
      check(!viewer.hidden && viewer.querySelectorAll(".row").length > 0, "a source is not shown");
      check(viewer.querySelectorAll(".covered, .partly, .missed").length > 0, "a source has no coverage");
      viewer.querySelector("[data-next-uncovered]").click();
      viewer.querySelector("[data-close]").click();
      check(viewer.hidden, "a source is not closed");
      did.sources++;
    }
    for (const tree of [...document.querySelectorAll("[data-tree]")].filter(shown)) {
      for (let tried = 0; tried < 50 && !tree.querySelector(".node"); tried++) await wait(50);
      const rows = () => [...tree.querySelectorAll(".node")];
      check(rows().length > 0, "a tree is not drawn");
      const before = rows().length;
      rows()[0].click();
      check(rows().length < before, "a tree does not fold");
      rows()[0].click();
      const search = tree.querySelector("[data-search]");
      search.value = "finished";
      search.dispatchEvent(new Event("input"));
      check(parseInt(tree.querySelector(".found").textContent.replace(/\D/g, "")) > 0, "nothing is found");
      tree.querySelector('[data-find="1"]').click();
      check(tree.querySelector(".chosen .end"), "a match is not shown");
      tree.querySelector(".rows").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
      const canvas = tree.querySelector("canvas");
      const box = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new MouseEvent("click", { clientX: box.left + box.width / 2, clientY: box.top + 15, bubbles: true }));
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, 5).data;
      check(pixels.some((it) => it > 0), "the picture of a tree is empty");
      tree.querySelector("[data-fold]").click();
      did.trees++;
    }
    for (const chart of [...document.querySelectorAll(".chart svg")].filter(shown)) {
      const box = chart.getBoundingClientRect();
      check(box.width > 200 && box.height > 80, "a chart is too small to be read");
      did.charts++;
      if (!chart.closest("[data-chart]")) continue;
      chart.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width / 2, clientY: box.top + 20 }));
      check(chart.parentElement.querySelector(".when").textContent.startsWith("at "), "a chart says nothing where one points");
      chart.dispatchEvent(new PointerEvent("pointerleave"));
    }
    for (const button of [...document.querySelectorAll("button")].filter(shown)) {
      if (button.matches("[role=tab]")) continue;
      button.click();
      did.buttons++;
    }
    for (const one of document.querySelectorAll("details")) one.open = !one.open;
    for (const theme of ["dark", "light"]) {
      document.documentElement.dataset.theme = theme;
      await wait(50);
      did.pairs += unreadable(theme, wrong);
    }
  };
  try {
    for (const tab of tabs.length ? tabs : [null]) {
      tab?.click();
      await drive();
    }
  } catch (why) {
    wrong.push(String(why.stack));
  }
  // The page stands in a frame: windows cannot be as narrow as telephones.
  parent.postMessage(JSON.stringify({ wrong, did }), "*");
})();
