// Tables are sorted by their heads and filtered by the field before them.
(() => {
  "use strict";
  const value = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.order === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.order);
  };
  drive((part) => {
    for (const button of part.querySelectorAll("[data-sort]")) {
      button.addEventListener("click", () => {
        const head = button.closest("th");
        const table = button.closest("table");
        const body = table.tBodies[0];
        const at = head.cellIndex;
        // Numbers begin with the largest.
        const before = head.getAttribute("aria-sort");
        const first = head.classList.contains("number") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const order = before === first ? second : first;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const rows = [...body.rows].map((row) => [value(row, at), row]);
        rows.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
        body.append(...rows.map(([, row]) => row));
      });
    }
    for (const field of part.querySelectorAll("[data-filter]")) {
      const rows = field.nextElementSibling.querySelector("table").tBodies[0].rows;
      field.addEventListener("input", () => {
        const wanted = field.value.trim().toLowerCase();
        for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
      });
    }
  });
})();
