// Every text whose contrast with what is behind it is below 4.5, one line each.
(() => {
  const parse = (colour) => colour.match(/[\d.]+/g).map(Number);
  const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
  const backdrop = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const own = Array.from(element.childNodes).some((one) => one.nodeType === 3 && one.textContent.trim());
    if (!own || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
    const [ink, paper] = [parse(getComputedStyle(element).color), backdrop(element)].map(luminance);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)}: ${element.textContent.trim().slice(0, 60)}`);
  }
  return found;
})();
