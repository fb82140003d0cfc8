// The text of a source file, with how often each line was executed and which sides of its branches were taken.
(() => {
  "use strict";
  const data = () => (window.plat ??= JSON.parse(document.getElementById("data").textContent));
  const brief = (count) => {
    for (const [size, name] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
      if (count >= size) return (count / size).toPrecision(3) + name;
    }
    return String(count);
  };
  const kind = ([, count, taken, sides]) => (count === 0 ? "missed" : taken < sides ? "partly" : "covered");
  const cell = (name, text) => {
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    return span;
  };
  const row = (text, number, line) => {
    const row = cell("row", "");
    row.append(cell("number", number), cell("count", line ? brief(line[1]) : ""));
    row.append(cell("sides", line?.[3] ? `${line[2]}/${line[3]}` : ""));
    const code = document.createElement("code");
    code.textContent = text;
    row.append(code);
    if (line) {
      row.classList.add(kind(line));
      const asked = line[4] ? `, ${line[4].toLocaleString("en")} questions to the solver` : "";
      const forks = line[5] ? `, ${line[5].toLocaleString("en")} forks` : "";
      row.title = `executed ${line[1].toLocaleString("en")} times${asked}${forks}`;
    }
    return row;
  };
  const open = (run, file, at) => {
    const viewer = document.querySelector(`[data-viewer="${run}"]`);
    const body = viewer.querySelector("pre");
    const { path, text, lines } = data().runs[run].sources[file];
    if (body.dataset.file !== String(file)) {
      const known = new Map(lines.map((line) => [line[0], line]));
      const texts = text.replace(/\n$/, "").split("\n");
      body.replaceChildren(...texts.map((text, at) => row(text, at + 1, known.get(at + 1))));
      body.dataset.file = file;
    }
    viewer.querySelector(".name").textContent = path;
    viewer.hidden = false;
    viewer.scrollIntoView({ block: "nearest" });
    const line = body.children[Math.max(at - 1, 0)];
    body.parentElement.scrollTop = line ? line.offsetTop - body.offsetTop - 40 : 0;
  };
  drive((part) => {
    for (const button of part.querySelectorAll("[data-source]")) {
      const { run, source, line } = button.dataset;
      button.addEventListener("click", () => open(Number(run), Number(source), Number(line ?? 1)));
    }
    for (const viewer of part.querySelectorAll("[data-viewer]")) {
      const scroll = viewer.querySelector(".scroll");
      viewer.querySelector("[data-close]").addEventListener("click", () => (viewer.hidden = true));
      viewer.querySelector("[data-next-uncovered]").addEventListener("click", () => {
        const rows = [...viewer.querySelectorAll(".row.missed, .row.partly")];
        const after = Number(viewer.dataset.at ?? -1);
        const place = (row) => row.offsetTop - scroll.firstElementChild.offsetTop;
        const next = rows.find((row) => place(row) > after) ?? rows[0];
        for (const row of rows) row.classList.toggle("marked", row === next);
        if (!next) return;
        viewer.dataset.at = place(next);
        scroll.scrollTop = place(next) - scroll.clientHeight / 3;
      });
    }
  });
})();
