// The questions of a form: each is a labelled control that knows its value and whether it has been answered.

import { make } from "../../common/dom.ts";
import type { Say } from "../../common/strings.ts";

export interface FieldDescription {
  name: string;
  question: string;
  kind: "text" | "number" | "choice" | "multi" | "long";
  choices?: string[];
  required: boolean;
  longest: number; // characters that may be written
}

export interface Field {
  name: string;
  node: HTMLElement;
  value(): string | number | string[] | null;
  complete(): boolean;
}

function caption(field: FieldDescription, say: Say): (Node | string)[] {
  const mark = !field.required ? [make("span", { class: "optional" }, ` (${say("optional")})`)] : [];
  return [field.question, ...mark];
}

function written(field: FieldDescription, say: Say, id: string): Field {
  const input = field.kind === "long"
    ? make("textarea", { id, class: "field", rows: 5, maxlength: field.longest })
    : make("input", { id, class: "field", type: field.kind === "number" ? "number" : "text", autocomplete: "off", maxlength: field.kind === "text" ? field.longest : null });
  const node = make("div", { class: "question-block" }, make("label", { for: id }, ...caption(field, say)), input);
  const text = (): string => input.value.trim();
  const value = (): string | number | null => (text() === "" ? null : field.kind === "number" ? Number(text()) : text());
  const valid = (): boolean => input.validity.valid;
  return { name: field.name, node, value, complete: () => valid() && (!field.required || value() !== null) };
}

function chosen(field: FieldDescription, say: Say, id: string): Field {
  const type = field.kind === "multi" ? "checkbox" : "radio";
  const boxes = (field.choices ?? []).map((choice) => ({ choice, box: make("input", { type, name: id, value: choice }) }));
  const rows = boxes.map(({ choice, box }) => make("label", { class: "option" }, box, make("span", {}, choice)));
  const node = make("fieldset", { class: "question-block" }, make("legend", {}, ...caption(field, say)), ...rows);
  const ticked = (): string[] => boxes.filter(({ box }) => box.checked).map(({ choice }) => choice);
  const value = (): string | string[] | null => (field.kind === "multi" ? ticked() : ticked()[0] ?? null);
  return { name: field.name, node, value, complete: () => !field.required || ticked().length > 0 };
}

export function makeField(field: FieldDescription, say: Say, id: string): Field {
  return field.kind === "choice" || field.kind === "multi" ? chosen(field, say, id) : written(field, say, id);
}
