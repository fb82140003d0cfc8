// Where one points in a chart, its values at that time are shown.
(() => {
  "use strict";
  const clock = (seconds) => {
    if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
    const minutes = Math.floor(seconds / 60);
    const rest = String(Math.floor(seconds % 60)).padStart(2, "0");
    return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
  };
  drive((part) => {
    for (const figure of part.querySelectorAll("[data-chart]")) {
      const { area, lines } = JSON.parse(figure.dataset.chart);
      const [left, top, right, bottom, last] = area;
      const svg = figure.querySelector("svg");
      const when = figure.querySelector(".when");
      const values = [...figure.querySelectorAll(".value b")];
      const finals = values.map((it) => it.textContent);
      const rule = document.createElementNS("http://www.w3.org/2000/svg", "line");
      rule.setAttribute("class", "rule");
      rule.setAttribute("y1", top);
      rule.setAttribute("y2", bottom);
      rule.setAttribute("visibility", "hidden");
      svg.append(rule);
      const leave = () => {
        rule.setAttribute("visibility", "hidden");
        when.textContent = "\u00a0";
        values.forEach((it, at) => (it.textContent = finals[at]));
      };
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const x = ((event.clientX - box.left) / box.width) * 420;
        if (x < left || x > right) return leave();
        const second = ((x - left) / (right - left)) * last;
        rule.setAttribute("x1", x);
        rule.setAttribute("x2", x);
        rule.setAttribute("visibility", "visible");
        when.textContent = `at ${clock(second)}`;
        lines.forEach((line, at) => {
          let low = 0;
          let high = line.at.length - 1;
          while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (line.at[middle] <= second) low = middle;
            else high = middle - 1;
          }
          values[at].textContent = line.said[low] ?? "";
        });
      });
      svg.addEventListener("pointerleave", leave);
    }
  });
})();
