// Pictures of the numbers: rows of estimators at one budget, or lines along all budgets. A view is {estimators, level,
// family, key (a quantity), rows (numbers of estimators, in order), place (number of the budget)}.
const plots = (() => {
  "use strict";
  const SPACE = "http://www.w3.org/2000/svg";
  const ROW = 24, LABEL = 13;
  const { digits, percent, count, signed, cell, text, interval, doubtful } = numbers;
  const AT_ONE = {
    rmse: "RMSE of log Z [nat]",
    bias: "mean error of log Z [nat]",
    coverage: "share of 95% intervals that cover log Z",
  };
  const ALONG = { sweeps: "Gibbs sweeps per chain", seconds: "seconds of an estimate, one core" };

  function node(parent, name, attributes, content) {
    const made = document.createElementNS(SPACE, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (content !== undefined) made.textContent = content;
    parent.append(made);
    return made;
  }

  const segment = (parent, sort, x1, y1, x2, y2) => node(parent, "line", { class: sort, x1, y1, x2, y2 });

  function coloured(made, look) {
    made.classList.add("one");
    made.style.setProperty("--light", look.light);
    made.style.setProperty("--dark", look.dark);
    return made;
  }

  function marker(parent, look, hollow) {
    const sort = (hollow || look.hollow ? " hollow" : "") + (look.edged ? " edged" : "");
    node(parent, "path", { class: "marker" + sort, d: look.path, transform: "scale(9)" });
  }

  // The marker of an estimator within a line of text.
  function swatch(parent, look) {
    const made = node(parent, "svg", { class: "swatch", viewBox: "-7 -7 14 14", "aria-hidden": "true" });
    marker(coloured(made, look), look, false);
  }

  const groupOf = (svg, view, row) => coloured(node(svg, "g", {}), view.estimators[row]);

  // A marker that can be pointed at and focused; its label has the numbers.
  function point(parent, look, x, y, label, hollow) {
    const place = { transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` };
    const made = node(parent, "g", { class: "point", tabindex: "-1", role: "img", "aria-label": label, ...place });
    marker(made, look, hollow);
    node(made, "circle", { class: "target", r: 11 });
  }

  function said({ estimators, family, key }, row, place) {
    const quantity = key in AT_ONE ? key : "rmse";
    const unit = key === "coverage" ? ` of ${family.coverage.runs[row][place]} intervals cover` : " nat";
    const parts = [`${text(family, quantity, row, place)}${unit} (${interval(family, quantity, row, place)})`];
    parts.push(`${count(family.budgets[place])} sweeps`, `${digits(family.seconds[row][place])} s`);
    if (doubtful(family, row, place)) parts.push(`${percent(family.unconverged[row][place])} of runs not converged`);
    return `${estimators[row].title}: ${parts.join(", ")}`;
  }

  function saidOfConverged({ estimators, family, place }, row) {
    const share = `${text(family, "converged_coverage", row, place)} of ${family.converged_coverage.runs[row][place]} intervals cover`;
    return `${estimators[row].title}, converged runs alone: ${share} (${interval(family, "converged_coverage", row, place)})`;
  }

  // Axis of a quantity at one budget.
  function axisOf({ family, key, rows, place }, start, end) {
    const found = rows.map((row) => cell(family, key, row, place)).filter(([value]) => value !== null);
    if (key === "coverage") return axes.linear(start, end, 38);
    if (key === "rmse") return axes.logarithmic([...found.flat(), family.truth_error], 1.3, start, end, 42);
    const reach = 1.1 * Math.max(...found.flat().map(Math.abs), 2 * family.mean_truth_error);
    return axes.aboutZero(found.map(([value]) => value), reach || 1, start, end, 34);
  }

  function drawRows(svg, view, width) {
    const { estimators, family, key, rows, place } = view;
    const longest = Math.max(...rows.map((row) => estimators[row].title.length));
    const [left, right, top] = [Math.min(0.4 * width, 20 + 6.8 * longest) + 8, width - 24, 6];
    const bottom = top + ROW * rows.length, axis = axisOf(view, left, right);
    const form = { rmse: digits, bias: signed, coverage: percent }[key];
    for (const tick of axis.ticks) {
      segment(svg, "grid", axis.at(tick), top, axis.at(tick), bottom);
      node(svg, "text", { x: axis.at(tick), y: bottom + 16, "text-anchor": "middle", class: "soft" }, form(tick));
    }
    if (key === "bias") {
      const [from, to] = [-1, 1].map((sign) => axis.at(2 * sign * family.mean_truth_error));
      node(svg, "rect", { class: "vague", x: from, y: top, width: to - from, height: bottom - top });
      segment(svg, "axis", axis.at(0), top, axis.at(0), bottom);
    }
    const heights = rows.map((row, line) => [row, top + ROW * (line + 0.5)]);
    for (const [row, y] of heights) {
      if (key === "rmse" && family.best[place].includes(row)) {
        node(svg, "rect", { class: "best", x: 0, y: y - ROW / 2, width: right, height: ROW });
      }
      node(svg, "text", { x: left - 8, y: y + 4, "text-anchor": "end" }, estimators[row].title);
    }
    const dashed = { rmse: family.truth_error, coverage: view.level }[key];
    if (dashed) segment(svg, "truth", axis.at(dashed), top, axis.at(dashed), bottom);
    segment(svg, "axis", left, bottom, right, bottom);
    for (const [row, y] of heights) drawRow(svg, view, axis, row, y);
    node(svg, "text", { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, AT_ONE[key]);
    return bottom + 44;
  }

  function drawRow(svg, view, axis, row, y) {
    const { family, key, place } = view, group = groupOf(svg, view, row);
    const shares = key === "coverage", apart = shares && family.converged_coverage.runs[row][place] < family.coverage.runs[row][place];
    drawDot(group, view, axis, key, row, y - (apart ? 4 : 0), said(view, row, place), !shares && doubtful(family, row, place));
    if (apart) drawDot(group, view, axis, "converged_coverage", row, y + 6, saidOfConverged(view, row), true);
  }

  function drawDot(group, { estimators, family, place }, axis, key, row, y, label, hollow) {
    const [value, low, high] = cell(family, key, row, place);
    if (value === null || (key === "rmse" && value <= 0)) return;
    segment(group, "interval", axis.at(low), y, axis.at(high), y);
    point(group, estimators[row], axis.at(value), y, label, hollow);
  }

  function drawLines(svg, view, width) {
    const { estimators, family, key, rows } = view, places = family.budgets.map((_, place) => place);
    const along = (row, place) => (key === "seconds" ? family.seconds[row][place] : family.budgets[place]);
    const there = (row) => places.filter((place) => cell(family, "rmse", row, place)[0] > 0 && along(row, place) > 0);
    const found = rows.flatMap((row) => there(row).map((place) => [row, place]));
    const longest = Math.max(...rows.map((row) => estimators[row].title.length));
    const names = Math.min(0.36 * width, 6.6 * longest) + 22;
    const [left, right, top, bottom] = [52, width - names, 24, Math.max(320, Math.min(540, 0.55 * width), LABEL * rows.length + 40)];
    const horizontal = axes.logarithmic(found.map((at) => along(...at)), 1.2, left, right, 56);
    const errors = found.flatMap((at) => cell(family, "rmse", ...at));
    const vertical = axes.logarithmic([...errors, family.truth_error], 1.2, bottom, top, 26);
    if (key === "sweeps" && found.length) horizontal.ticks = family.budgets;
    for (const tick of horizontal.ticks) {
      segment(svg, "grid", horizontal.at(tick), top, horizontal.at(tick), bottom);
      const label = key === "sweeps" ? count(tick) : digits(tick);
      node(svg, "text", { x: horizontal.at(tick), y: bottom + 16, "text-anchor": "middle", class: "soft" }, label);
    }
    for (const tick of vertical.ticks) {
      segment(svg, "grid", left, vertical.at(tick), right, vertical.at(tick));
      node(svg, "text", { x: left - 5, y: vertical.at(tick) + 4, "text-anchor": "end", class: "soft" }, digits(tick));
    }
    if (family.truth_error > 0) {
      const y = vertical.at(family.truth_error);
      node(svg, "rect", { class: "vague", x: left, y, width: right - left, height: bottom - y });
      segment(svg, "truth", left, y, right, y);
    }
    node(svg, "path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` });
    const x = (row, place) => horizontal.at(along(row, place));
    for (const row of rows) drawLine(svg, view, row, there(row), x, vertical.at);
    labelEnds(svg, view, there, x, vertical.at, [right + 20, top, bottom]);
    node(svg, "text", { x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, ALONG[key]);
    node(svg, "text", { x: 0, y: 12 }, AT_ONE.rmse);
    return bottom + 44;
  }

  function drawLine(svg, view, row, places, x, y) {
    const { estimators, family } = view, group = groupOf(svg, view, row);
    const ends = places.map((place) => [x(row, place), ...cell(family, "rmse", row, place).map(y)]);
    const path = ends.map(([across, height]) => `${across.toFixed(1)} ${height.toFixed(1)}`).join("L");
    if (path) node(group, "path", { class: "line", d: `M${path}`, "stroke-dasharray": estimators[row].dashes });
    for (const [across, , low, high] of ends) segment(group, "interval across", across, low, across, high);
    places.forEach((place, step) => {
      const [across, height] = ends[step];
      point(group, estimators[row], across, height, said(view, row, place), doubtful(family, row, place));
    });
  }

  // The name of each line at its end; names that would overlap move apart, and a thin line leads to each.
  function labelEnds(svg, view, there, x, y, [from, top, bottom]) {
    const ends = view.rows.filter((row) => there(row).length).map((row) => {
      const last = there(row).at(-1);
      return { row, across: x(row, last), height: y(cell(view.family, "rmse", row, last)[0]) };
    });
    ends.sort((a, b) => a.height - b.height);
    let next = top;
    for (const end of ends) next = (end.at = Math.max(end.height, next)) + LABEL;
    let last = bottom;
    for (const end of ends.reverse()) last = (end.at = Math.min(end.at, last)) - LABEL;
    for (const { row, across, height, at } of ends) {
      const group = groupOf(svg, view, row);
      node(group, "path", { class: "lead", d: `M${across} ${height}L${from - 4} ${at}` });
      node(group, "text", { x: from, y: at + 4, class: "end" }, view.estimators[row].title);
    }
  }

  function draw(parent, view) {
    parent.replaceChildren();
    if (!view.rows.length) {
      const text = "No estimator is chosen. Tick an estimator under Estimators, or press “all”.";
      return parent.append(Object.assign(document.createElement("p"), { className: "nothing", textContent: text }));
    }
    const width = Math.max(parent.clientWidth, 260);
    const svg = node(parent, "svg", { role: "group", "aria-labelledby": "shown" });
    const height = (view.key in AT_ONE ? drawRows : drawLines)(svg, view, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.querySelector(".point")?.setAttribute("tabindex", "0");
  }

  return { draw, swatch, isAtOne: (key) => key in AT_ONE };
})();
