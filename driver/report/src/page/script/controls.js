// How parts of the page get what drives them; light or dark, copying of commands, and what paper needs.
(() => {
  "use strict";
  // Each driver is given the page, and later what was put into it (live.js).
  const drivers = [];
  window.drive = (driver) => {
    drivers.push(driver);
    driver(document);
  };
  window.driveAll = (part) => drivers.forEach((driver) => driver(part));

  const root = document.documentElement;
  // Pages in files may have no storage.
  const stored = (value) => {
    try {
      if (value) localStorage.setItem("plat-theme", value);
      return localStorage.getItem("plat-theme");
    } catch {
      return null;
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = (theme) => {
    if (theme) root.dataset.theme = theme;
    document.dispatchEvent(new Event("theme"));
  };
  show(stored());
  dark.addEventListener("change", () => show());
  document.querySelector("[data-theme-switch]").addEventListener("click", () => {
    const now = root.dataset.theme ?? (dark.matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    stored(next);
    show(next);
  });

  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  };
  drive((part) => {
    for (const button of part.querySelectorAll("[data-copy]")) {
      button.addEventListener("click", async () => {
        const said = await copy(button.dataset.copy).then(() => "Copied", () => "Select it");
        button.textContent = said;
        setTimeout(() => (button.textContent = "Copy"), 1500);
      });
    }
  });

  // Paper cannot unfold.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = [...document.querySelectorAll("details.fault:not([open])")];
    for (const one of unfolded) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of unfolded) one.open = false;
  });
})();
