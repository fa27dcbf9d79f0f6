// The target, value by value: what may be changed about it.

import { button, make } from "../dom.js";
import { ACROSS, DOWN, MOST, withAnother, withValue, without } from "./scene.js";

export class Inspector {
  root = make("div", { class: "inspector" });

  constructor(change) {
    this.change = change;
  }

  show(scene, values) {
    const entity = scene.entities.find(({ id }) => id === scene.target);
    const names = Object.keys(entity.attributes).filter((name) => name !== ACROSS && name !== DOWN);
    const fields = names.map((name) => make("label", {}, name, this.field(scene, name, entity.attributes[name], values[name] ?? [])));
    const another = button("Add one like it", "quiet"), gone = button("Remove it", "quiet");
    another.addEventListener("click", () => this.change(withAnother(scene, scene.target)));
    gone.addEventListener("click", () => this.change(without(scene, scene.target)));
    another.disabled = scene.entities.length >= MOST;
    gone.disabled = scene.entities.length < 2;
    this.root.replaceChildren(make("h2", {}, `The target: ${entity.id}`), make("div", { class: "fields" }, ...fields), make("div", { class: "row" }, another, gone));
  }

  field(scene, name, value, known) {
    const set = (to) => this.change(withValue(scene, scene.target, name, to));
    const here = new Set([...known, ...scene.entities.map(({ attributes }) => attributes[name]).filter((v) => v !== undefined)]);
    if (known.length) {
      const select = make("select", {}, ...[...here].map((option) => make("option", { value: option, selected: option === value }, option)));
      select.addEventListener("change", () => set(select.value));
      return select;
    }
    const input = make("input", { value });
    input.addEventListener("change", () => set(input.value.trim() || value));
    return input;
  }
}
