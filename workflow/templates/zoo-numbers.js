// The numbers of a family by quantity, estimator and budget, and as texts of two digits.
const numbers = (() => {
  "use strict";
  const digits = (value) => (value === null ? "–" : value.toLocaleString("en", { maximumSignificantDigits: 2 }));
  const percent = (value) => (value === null ? "–" : Math.round(100 * value) + "%");
  const count = (value) => value.toLocaleString("en");
  const signed = (value) => (value > 0 ? "+" : "") + digits(value).replace("-", "−");
  const texts = { rmse: digits, bias: signed, coverage: percent, converged_coverage: percent };

  // [value, low end, high end]; null for missing numbers.
  function cell(family, key, row, place) {
    const { value, low, high } = family[key];
    return [value, low, high].map((each) => each[row][place]);
  }

  const text = (family, key, row, place) => texts[key](cell(family, key, row, place)[0]);

  function interval(family, key, row, place) {
    const [value, ...ends] = cell(family, key, row, place);
    return value === null ? "none" : ends.map(texts[key]).join(" to ");
  }

  const doubtful = (family, row, place) => family.unconverged[row][place] > 0;

  return { digits, percent, count, signed, cell, text, interval, doubtful };
})();
