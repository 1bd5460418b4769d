// Axes between two pixels: {at: value -> pixel, ticks: values}. `gap`: pixels that the label of a tick needs.
const axes = (() => {
  "use strict";

  function logarithmic(values, margin, start, end, gap) {
    const positive = values.filter((value) => value > 0);
    const [low, high] = positive.length ? [Math.min(...positive) / margin, Math.max(...positive) * margin] : [0.1, 10];
    const [bottom, top] = [Math.log(low), Math.log(high)];
    const at = (value) => start + ((Math.log(Math.max(value, low)) - bottom) / (top - bottom)) * (end - start);
    // Ticks at 1, 2 and 5 times powers of ten, or at fewer values until their labels fit.
    const choices = [[[1, 2, 5], 1], [[1, 3], 1], ...[1, 2, 3, 4, 6, 8].map((every) => [[1], every])];
    let ticks = [];
    for (const [steps, every] of choices) {
      ticks = [];
      for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
        if (power % every === 0) ticks.push(...steps.map((step) => step * 10 ** power));
      }
      ticks = ticks.filter((tick) => tick >= low && tick <= high);
      if (ticks.length * gap <= Math.abs(end - start)) break;
    }
    return { at, ticks };
  }

  // Linear up to about the median distance from 0, logarithmic beyond.
  function aboutZero(values, reach, start, end, gap) {
    const sizes = values.map(Math.abs).filter((size) => size > 0).sort((a, b) => a - b);
    const unit = 10 ** Math.floor(Math.log10(sizes[sizes.length >> 1] || reach));
    const bent = (value) => Math.asinh((2 * value) / unit);
    const at = (value) => (start + end) / 2 + (bent(value) / bent(reach)) * ((end - start) / 2);
    const ticks = [];
    for (let size = unit; size <= reach; size *= 10) {
      if (at(size) - at(ticks.length ? ticks[ticks.length - 1] : 0) >= gap) ticks.push(size);
    }
    return { at, ticks: [...ticks.map((tick) => -tick).reverse(), 0, ...ticks] };
  }

  // An axis of shares.
  function linear(start, end, gap) {
    const ticks = Math.abs(end - start) > 6 * gap ? [0, 0.2, 0.4, 0.6, 0.8, 1] : [0, 0.5, 1];
    return { at: (value) => start + value * (end - start), ticks };
  }

  return { logarithmic, aboutZero, linear };
})();
