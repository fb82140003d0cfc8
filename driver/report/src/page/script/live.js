// The page of a run that goes on takes newer figures from where it came from. A section that somebody uses stays
// as it is; a button in it brings the newer one. What belongs to the page's data (sources, decisions) comes as one.
(() => {
  "use strict";
  const PAUSE = 1000;
  const PATIENCE = 5;
  const status = document.querySelector("[data-live]");
  if (!status) return;
  const parse = (text) => new DOMParser().parseFromString(text, "text/html");
  const main = document.querySelector("main");
  const isOf = (part, name) => part.id.startsWith(`${name}-`);
  const withData = (part) => isOf(part, "sources") || isOf(part, "decisions");
  const key = (part) => part.id || part.className;
  const parts = (root) => [...root.querySelectorAll("article.run > *")];
  // What was served of each part, as it changes here while it is used.
  let served = new Map(parts(document).map((part) => [key(part), part.outerHTML]));
  const used = new Set();
  for (const event of ["pointerdown", "keydown"]) {
    main.addEventListener(event, (it) => {
      const section = it.target.closest("section[id]");
      if (section) used.add(section.id);
    });
  }

  let newest = null;
  const replace = (old, part) => {
    used.delete(old.id);
    old.replaceWith(part);
    driveAll(part);
  };
  const offer = (section) => {
    if (section.querySelector(":scope > .newer")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "newer";
    button.textContent = "Newer figures";
    button.addEventListener("click", () => {
      for (const one of withData(section) ? parts(document).filter(withData) : [section]) used.delete(one.id);
      show(newest);
    });
    section.prepend(button);
  };
  const show = (text) => {
    newest = text;
    const page = parse(text);
    const shown = new Map(parts(document).map((part) => [key(part), part]));
    const keepsData = [...shown.values()].some((part) => withData(part) && used.has(part.id));
    if (!keepsData) {
      document.getElementById("data").textContent = page.getElementById("data").textContent;
      window.plat = undefined;
    }
    const article = document.querySelector("article.run");
    let before = null;
    for (const part of parts(page)) {
      const old = shown.get(key(part));
      const text = part.outerHTML;
      const same = served.get(key(part)) === text;
      shown.delete(key(part));
      const kept = old && (used.has(old.id) || (keepsData && withData(old)));
      if (kept) {
        if (!same) offer(old);
        before = old;
        continue;
      }
      served.set(key(part), text);
      if (old && same) {
        before = old;
        continue;
      }
      const own = document.importNode(part, true);
      if (old) replace(old, own);
      else {
        article.insertBefore(own, before ? before.nextSibling : article.firstChild);
        driveAll(own);
      }
      before = own;
    }
    for (const gone of shown.values()) gone.remove();
    document.title = page.title;
    return page.querySelector("[data-live]");
  };

  let tag = status.dataset.live;
  let misses = 0;
  const look = async () => {
    let goesOn = true;
    try {
      const answer = await fetch("/", {
        headers: { "If-None-Match": tag },
        cache: "no-store",
        // One that hangs may keep this one waiting; the next comes through.
        signal: AbortSignal.timeout(10 * PAUSE),
      });
      misses = 0;
      if (answer.status === 200) {
        tag = answer.headers.get("ETag");
        goesOn = show(await answer.text()) !== null;
        status.dataset.shown = Number(status.dataset.shown ?? 0) + 1;
      }
      status.textContent = goesOn ? "live" : "the run is over";
    } catch {
      misses++;
      status.textContent = "not served any more";
    }
    if (goesOn && misses < PATIENCE) setTimeout(look, PAUSE);
  };
  setTimeout(look, PAUSE);
})();
