"use strict";
// Headings that sort, and a line with the number of rows shown; without scripts the table is complete and unsorted.
(function () {
  const table = document.getElementById("scorecard-table");
  const body = table.tBodies[0];
  const headings = Array.from(table.tHead.rows[0].cells);
  const status = document.getElementById("scorecard-status");

  function keyOf(row, column, kind) {
    const cell = row.cells[column];
    return kind === "order" ? Number(cell.dataset.order) : cell.textContent.trim();
  }

  function sortBy(column) {
    const heading = headings[column];
    const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    const kind = heading.dataset.sort;
    const compared = (a, b) => (kind === "order" ? a - b : a.localeCompare(b, "en", { numeric: true }));
    const rows = Array.from(body.rows);
    rows.sort((a, b) => sign * compared(keyOf(a, column, kind), keyOf(b, column, kind)));
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    body.append(...rows);
  }

  headings.forEach((heading, column) => {
    if (!heading.dataset.sort) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    button.title = "sort by " + heading.textContent;
    button.addEventListener("click", () => sortBy(column));
    heading.replaceChildren(button);
  });

  function count() {
    const chosen = document.querySelector("input[name=shown]:checked").value;
    const rows = Array.from(body.rows);
    const shown = rows.filter((row) => chosen === "all" || row.classList.contains(chosen)).length;
    status.textContent = shown + " of " + rows.length + " rows shown";
  }

  document.querySelectorAll("input[name=shown]").forEach((input) => input.addEventListener("change", count));
  count();
})();
