// Ways to judge: points of a scale, a line without a starting value, or one of two texts.

import { make } from "../../common/dom.ts";
import type { Say } from "../../common/strings.ts";

export interface ScaleDescription {
  name: string;
  question: string;
  kind: "likert" | "slider";
  points: number;
  low: string;
  high: string;
}

export interface Scale {
  name: string;
  node: HTMLElement;
  value(): number | null;
}

function ends(scale: ScaleDescription): HTMLElement {
  return make("div", { class: "ends" }, make("span", {}, scale.low), make("span", {}, scale.high));
}

function likert(scale: ScaleDescription, id: string): Scale {
  const { points } = scale;
  const boxes = Array.from({ length: points }, (_, i) => make("input", { type: "radio", name: id, value: i + 1, "aria-label": pointName(scale, i + 1, points) }));
  const row = make("div", { class: "points" }, ...boxes.map((box, i) => make("label", { class: "point" }, box, make("span", { "aria-hidden": "true" }, String(i + 1)))));
  const node = make("fieldset", { class: "scale" }, make("legend", {}, scale.question), row, ends(scale));
  return { name: scale.name, node, value: () => Number(boxes.find((box) => box.checked)?.value ?? NaN) || null };
}

function pointName(scale: ScaleDescription, point: number, points: number): string {
  const end = point === 1 ? scale.low : point === points ? scale.high : null;
  return end ? `${point}: ${end}` : String(point);
}

// The handle shows only after the first touch, so that the middle is an answer and not a default.
function slider(scale: ScaleDescription, id: string, say: Say): Scale {
  const top = scale.points - 1;
  const line = make("input", { id, type: "range", class: "slider untouched", min: 0, max: top, step: 1, value: top / 2, "aria-valuetext": "–", "aria-describedby": `${id}-hint` });
  let touched = false;
  const touch = (): void => {
    touched = true;
    line.classList.remove("untouched");
    line.setAttribute("aria-valuetext", line.value);
  };
  for (const name of ["input", "pointerup"]) line.addEventListener(name, () => {
    touch();
    line.dispatchEvent(new Event("change", { bubbles: true }));
  });
  const hint = make("p", { class: "help", id: `${id}-hint` }, say("slider_hint"));
  const node = make("div", { class: "scale" }, make("label", { for: id }, scale.question), line, ends(scale), hint);
  return { name: scale.name, node, value: () => (touched ? Number(line.value) : null) };
}

export function makeScale(scale: ScaleDescription, id: string, say: Say): Scale {
  return scale.kind === "slider" ? slider(scale, id, say) : likert(scale, id);
}
