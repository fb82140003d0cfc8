// Of several runs one is shown, or the comparison. An address that leads into a run shows it.
(() => {
  "use strict";
  const tabs = [...document.querySelectorAll("[data-run][role=tab]")];
  if (!tabs.length) return;
  const articles = [...document.querySelectorAll("article[data-run]")];
  const show = (run) => {
    for (const tab of tabs) tab.setAttribute("aria-selected", tab.dataset.run === run);
    for (const article of articles) article.hidden = article.dataset.run !== run;
    document.dispatchEvent(new Event("shown"));
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      show(tab.dataset.run);
      scrollTo(0, 0);
    });
  }
  const follow = () => {
    const target = document.getElementById(location.hash.slice(1));
    const run = target?.closest("article[data-run]")?.dataset.run;
    if (!run) return false;
    show(run);
    target.scrollIntoView();
    return true;
  };
  addEventListener("hashchange", follow);
  if (!follow()) show("all");
})();
