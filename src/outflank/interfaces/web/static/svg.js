// Elements of pictures and pages.

const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** An HTML element: attributes by name, `class` and `data-` included; listeners as functions; then its content. */
export function html(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...content);
  return element;
}

/** A step of 1, 2 or 5 times a power of ten that cuts a range into about `count` parts. */
export function niceStep(range, count) {
  const rough = range / count, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
}
