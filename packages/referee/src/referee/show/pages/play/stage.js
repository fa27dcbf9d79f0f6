// The scene as something to touch: a click chooses the target, dragging or arrow keys move, Delete removes.

import { make } from "../dom.js";
import { sceneElement } from "../scene-picture.js";
import { lookAt } from "./answers.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// A press that moves less than this many pixels is a click.
const STILL = 6;

export class Stage {
  root = make("div", { class: "stage" });
  look = null;

  constructor(events) {
    this.events = events;
  }

  show(look, target) {
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset["id"] : undefined;
    this.look = look;
    const scene = sceneElement(lookAt(look, target));
    [...scene.children].forEach((child, place) => this.arm(child, look.things[place].id, look.things[place].words, look.things[place].id === target));
    this.root.replaceChildren(scene);
    if (focused !== undefined) scene.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  // Where everything stands, in cells counted from 0.
  places() {
    return new Map((this.look?.things ?? []).map(({ id, box: [left, top, width, height] }) => [id, [Math.round((left - this.margin()[0]) / width), Math.round((top - this.margin()[1]) / height)]]));
  }

  // What is left of the grid, as a share; the same on both sides.
  margin() {
    const { width, height, things } = this.look;
    const [, , w, h] = things[0].box;
    const rest = (whole, cell) => ((1 / cell) % 1) / 2 * cell * (whole > 0 ? 1 : 0);
    return [rest(width, w), rest(height, h)];
  }

  arm(thing, id, words, target) {
    thing.dataset["id"] = id;
    thing.tabIndex = 0;
    thing.setAttribute("role", "button");
    thing.setAttribute("aria-pressed", String(target));
    thing.setAttribute("aria-label", `${words}${target ? ", the target" : ""}`);
    thing.addEventListener("keydown", (event) => this.press(event, id));
    thing.addEventListener("pointerdown", (event) => this.drag(event, thing, id));
  }

  press(event, id) {
    const step = STEPS[event.key], at = this.places().get(id);
    if (event.key === "Enter" || event.key === " ") this.events.choose(id);
    else if (event.key === "Delete" || event.key === "Backspace") this.events.remove(id);
    else if (step && at) this.events.move(id, [Math.max(0, at[0] + step[0]), Math.max(0, at[1] + step[1])]);
    else return;
    event.preventDefault();
  }

  drag(event, thing, id) {
    if (event.button !== 0) return;
    const [x, y] = [event.clientX, event.clientY];
    const whole = thing.parentElement.getBoundingClientRect(), own = thing.getBoundingClientRect();
    thing.setPointerCapture(event.pointerId);
    thing.classList.add("held");
    const move = (at) => {
      thing.style.transform = `translate(${at.clientX - x}px, ${at.clientY - y}px)`;
    };
    const end = (at) => {
      thing.removeEventListener("pointermove", move);
      thing.classList.remove("held");
      thing.style.transform = "";
      if (Math.hypot(at.clientX - x, at.clientY - y) < STILL) {
        this.events.choose(id);
        return;
      }
      const { box: [, , width, height] } = this.look.things.find((other) => other.id === id);
      const [left, top] = this.margin();
      const column = Math.round(((own.left + at.clientX - x - whole.left) / whole.width - left) / width);
      const row = Math.round(((own.top + at.clientY - y - whole.top) / whole.height - top) / height);
      this.events.move(id, [Math.max(0, Math.min(column, 13)), Math.max(0, Math.min(row, 13))]);
    };
    thing.addEventListener("pointermove", move);
    thing.addEventListener("pointerup", end, { once: true });
    thing.addEventListener("pointercancel", () => {
      thing.removeEventListener("pointermove", move);
      thing.classList.remove("held");
      thing.style.transform = "";
    }, { once: true });
  }
}
