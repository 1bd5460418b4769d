// Shows the numbers that the reader chooses; all numbers are computed already. Without scripts the table below remains.
(() => {
  "use strict";
  const zoo = JSON.parse(document.getElementById("data").textContent);
  const { digits, percent, count, cell, text, interval } = numbers;
  const byId = (id) => document.getElementById(id);
  const [family, quantity, budget, order] = ["family", "quantity", "budget", "order"].map(byId);
  const boxes = zoo.estimators.map((one) => byId("show-" + one.name));
  const plot = byId("plot");
  const alike = "Geometric mean over the models of the family, with 95% intervals. Hollow: some runs did not converge. Dashed: the standard error of the truth, where it is not exact.";
  const READING = {
    rmse: `${alike} Shaded: not significantly worse than the best (paired bootstrap).`,
    sweeps: alike,
    seconds: alike,
    bias: "Mean over the models of the family, with 95% intervals. Hollow: some runs did not converge. Grey: two standard errors of the truth to either side. Beyond the innermost ticks the axis is logarithmic.",
    coverage: "Over models and runs, with 95% intervals. Hollow, below: only converged runs, if some did not converge. Dashed: 95%.",
  };
  let kept = location.hash, drawnAt = 0;

  const chosenFamily = () => zoo.families[family.selectedIndex];

  // Numbers of the estimators to show, in order.
  function chosenRows() {
    const rows = zoo.estimators.map((_, row) => row).filter((row) => boxes[row].checked);
    if (order.value === "listed") return rows;
    const key = plots.isAtOne(quantity.value) ? quantity.value : "rmse", wanted = key === "coverage" ? zoo.level : 0;
    const distances = zoo.estimators.map((_, row) => {
      const [value] = cell(chosenFamily(), key, row, budget.selectedIndex);
      return value === null ? Number.MAX_VALUE : Math.abs(value - wanted);
    });
    return rows.sort((a, b) => distances[a] - distances[b] || a - b);
  }

  function draw() {
    const view = { ...zoo, family: chosenFamily(), key: quantity.value, rows: chosenRows(), place: budget.selectedIndex };
    drawnAt = plot.clientWidth;
    plots.draw(plot, view);
    describe(null);
    byId("reading").textContent = READING[view.key];
    byId("shown").textContent = summary(view);
    byId("chosen").textContent = `${view.rows.length} of ${zoo.estimators.length}`;
    byId("numbers").replaceChildren(tableOf(view));
  }

  function summary({ family, rows, place }) {
    const [best, ...others] = family.best[place], sweeps = `${count(family.budgets[place])} sweeps`;
    const at = plots.isAtOne(quantity.value) ? `, ${sweeps}` : "";
    const shown = `${quantity.selectedOptions[0].textContent}${at}, ${rows.length} of ${zoo.estimators.length} estimators`;
    const lowest = `${zoo.estimators[best].title}, ${text(family, "rmse", best, place)} nat`;
    const ties = others.length ? `${others.length} others are not significantly worse` : "all others are significantly worse";
    return `${family.title}, ${family.chains} chains: ${shown}. Lowest RMSE of all at ${sweeps}: ${lowest}; ${ties}.`;
  }

  function add(parent, name, properties, content) {
    const made = Object.assign(document.createElement(name), properties);
    if (content !== undefined) made.textContent = content;
    parent.append(made);
    return made;
  }

  // All numbers at the chosen budget.
  function tableOf({ family, rows, place }) {
    const table = document.createElement("table"), sweeps = count(family.budgets[place]);
    const caption = `${family.title}, ${sweeps} sweeps per chain; 95% intervals below the numbers`;
    add(add(table, "caption"), "span", {}, caption);
    const heading = add(add(table, "thead"), "tr"), body = add(table, "tbody");
    const headings = ["RMSE [nat]", "not significantly worse", "bias [nat]", "coverage", "coverage, converged runs"];
    add(heading, "th", { scope: "col" }, "estimator");
    for (const one of [...headings, "not converged", "time [s]"]) add(heading, "th", { scope: "col", className: "number" }, one);
    for (const row of rows) {
      const look = zoo.estimators[row], line = add(body, "tr"), name = add(line, "th", { scope: "row" });
      plots.swatch(name, look);
      add(name, "a", { href: look.href }, look.title);
      for (const key of ["rmse", "best", "bias", "coverage", "converged_coverage"]) {
        const number = add(line, "td", { className: "number" });
        if (key === "best") {
          number.textContent = family.best[place].includes(row) ? "✓" : "–";
          continue;
        }
        const runs = family[key].runs ? `, ${family[key].runs[row][place]} runs` : "";
        number.textContent = text(family, key, row, place);
        add(number, "span", { className: "of" }, interval(family, key, row, place) + runs);
      }
      add(line, "td", { className: "number" }, percent(family.unconverged[row][place]));
      add(line, "td", { className: "number" }, digits(family.seconds[row][place]));
    }
    return table;
  }

  // Show the numbers of the marker under the pointer or in focus.
  function describe(point) {
    const hint = "Point at a marker for its numbers, or move to it with Tab and the arrow keys.";
    byId("readout").textContent = point ? point.getAttribute("aria-label") : hint;
    plot.classList.toggle("lit", point !== null && !plots.isAtOne(quantity.value));
  }

  function step(event) {
    const points = Array.from(plot.querySelectorAll(".point")), now = points.indexOf(event.target), last = points.length - 1;
    const [next, before] = [Math.min(now + 1, last), Math.max(now - 1, 0)];
    const places = { Home: 0, End: last, ArrowRight: next, ArrowDown: next, ArrowLeft: before, ArrowUp: before };
    if (now < 0 || !(event.key in places)) return;
    event.preventDefault();
    points[now].setAttribute("tabindex", "-1");
    points[places[event.key]].setAttribute("tabindex", "0");
    points[places[event.key]].focus();
  }

  // Budgets of the family; the wanted one is chosen, or the largest.
  function fillBudgets(wanted) {
    const budgets = chosenFamily().budgets, place = budgets.map(String).indexOf(String(wanted));
    budget.replaceChildren(...budgets.map((sweeps) => new Option(`${count(sweeps)} sweeps`, sweeps)));
    budget.selectedIndex = place < 0 ? budgets.length - 1 : place;
  }

  // The fragment of the address holds the choices, so that a link can be shared; invalid choices are ignored.
  function restore() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const control of [family, quantity, order]) {
      const place = Array.from(control.options, (one) => one.value).indexOf(wanted.get(control.id));
      if (place >= 0) control.selectedIndex = place;
    }
    fillBudgets(wanted.get("budget") ?? budget.value);
    const names = wanted.get("estimators")?.split(",");
    if (wanted.has("family")) boxes.forEach((box) => (box.checked = !names || names.includes(box.value)));
  }

  function remember() {
    const chosen = new URLSearchParams([family, quantity, budget, order].map((control) => [control.id, control.value]));
    const shown = boxes.filter((box) => box.checked).map((box) => box.value);
    if (shown.length < boxes.length) chosen.set("estimators", shown.join(","));
    location.replace("#" + chosen.toString().replaceAll("%2C", ","));
    kept = location.hash;
  }

  function change() {
    fillBudgets(budget.value);
    draw();
    remember();
  }

  function press(which) {
    const best = chosenFamily().best[budget.selectedIndex];
    boxes.forEach((box, row) => (box.checked = which === "all" || (which === "best" && best.includes(row))));
    change();
  }

  boxes.forEach((box, row) => {
    plots.swatch(box.nextElementSibling, zoo.estimators[row]);
    box.nextElementSibling.prepend(box.nextElementSibling.lastElementChild);
  });
  byId("chooser").hidden = false;
  restore();
  byId("choices").addEventListener("change", change);
  byId("choices").addEventListener("submit", (event) => event.preventDefault());
  for (const one of byId("choices").querySelectorAll("button")) one.addEventListener("click", () => press(one.value));
  for (const kind of ["pointerover", "focusin"]) plot.addEventListener(kind, (event) => describe(event.target.closest(".point")));
  for (const kind of ["pointerleave", "focusout"]) plot.addEventListener(kind, () => describe(null));
  plot.addEventListener("keydown", step);
  addEventListener("hashchange", () => {
    if (location.hash === kept) return;
    restore();
    draw();
  });
  addEventListener("resize", () => drawnAt !== plot.clientWidth && draw());
  draw();
})();
