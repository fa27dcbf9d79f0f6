// Small charts of HTML and SVG: words are HTML, so that they never shrink; bars are SVG in percentages, so that they fill any width.

import { draw, make, type Child } from "../common/dom.ts";

export interface Segment {
  value: number;
  kind: string;
  name?: string;
}

export function bar(segments: readonly Segment[], total: number, spoken: string): SVGSVGElement {
  let start = 0;
  const parts = segments.map(({ value, kind, name }) => {
    const share = total > 0 ? (100 * value) / total : 0;
    const part = draw("rect", { x: `${start}%`, width: `${share}%`, height: "100%", class: `part ${kind}` }, name ? draw("title", {}, `${name}: ${value}`) : null);
    start += share;
    return part;
  });
  return draw("svg", { class: "chart-bar", role: "img", "aria-label": spoken }, ...parts);
}

export function row(label: string, chart: Node, value: string, ...more: Child[]): HTMLElement {
  return make("div", { class: "chart-row" }, make("span", { class: "chart-label", title: label }, label), chart, make("span", { class: "chart-value" }, value), ...more);
}

// Wilson's interval: honest near 0 and 1, and with few answers.
export function wilson(successes: number, n: number, z = 1.959964): [number, number] {
  if (n === 0) return [0, 1];
  const p = successes / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

export function interval(point: number, low: number, high: number, top: number, spoken: string): SVGSVGElement {
  const at = (value: number): string => `${top > 0 ? Math.min(98.5, 1.5 + (97 * value) / top) : 0}%`;
  return draw(
    "svg",
    { class: "chart-bar chart-interval", role: "img", "aria-label": spoken },
    draw("line", { x1: "0", x2: "100%", y1: "50%", y2: "50%", class: "axis" }),
    draw("line", { x1: at(low), x2: at(high), y1: "50%", y2: "50%", class: "whisker" }),
    draw("circle", { cx: at(point), cy: "50%", r: 5, class: "dot" }),
  );
}

export function legend(...entries: [kind: string, name: string][]): HTMLElement {
  const swatch = (kind: string): SVGSVGElement =>
    draw("svg", { class: "swatch", "aria-hidden": "true" }, draw("rect", { width: "100%", height: "100%", rx: 3, class: `part ${kind}` }));
  return make("p", { class: "legend" }, ...entries.map(([kind, name]) => make("span", {}, swatch(kind), name)));
}
