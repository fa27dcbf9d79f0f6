// The scene as something to touch: a click chooses the target, dragging or arrow keys move, Delete removes.

import { make } from "../common/dom.ts";
import { sceneElement } from "../scene/picture.ts";
import { lookAt } from "./answers.ts";
import type { Look } from "./answers.ts";

export interface StageEvents {
  choose(id: string): void;
  move(id: string, cell: [number, number]): void;
  remove(id: string): void;
}

const STEPS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// A press that moves less than this many pixels is a click.
const STILL = 6;

export class Stage {
  readonly root = make("div", { class: "stage" });
  private look: Look | null = null;

  constructor(private readonly events: StageEvents) {}

  show(look: Look, target: string): void {
    const focused = this.root.contains(document.activeElement) ? (document.activeElement as HTMLElement).dataset["id"] : undefined;
    this.look = look;
    const scene = sceneElement(lookAt(look, target));
    [...scene.children].forEach((child, place) => this.arm(child as HTMLElement, look.things[place]!.id, look.things[place]!.words, look.things[place]!.id === target));
    this.root.replaceChildren(scene);
    if (focused !== undefined) scene.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  // Where everything stands, in cells counted from 0.
  places(): Map<string, [number, number]> {
    return new Map((this.look?.things ?? []).map(({ id, box: [left, top, width, height] }) => [id, [Math.round((left - this.margin()[0]) / width), Math.round((top - this.margin()[1]) / height)]]));
  }

  // What is left of the grid, as a share; the same on both sides.
  private margin(): [number, number] {
    const { width, height, things } = this.look!;
    const [, , w, h] = things[0]!.box;
    const rest = (whole: number, cell: number): number => ((1 / cell) % 1) / 2 * cell * (whole > 0 ? 1 : 0);
    return [rest(width, w), rest(height, h)];
  }

  private arm(thing: HTMLElement, id: string, words: string, target: boolean): void {
    thing.dataset["id"] = id;
    thing.tabIndex = 0;
    thing.setAttribute("role", "button");
    thing.setAttribute("aria-pressed", String(target));
    thing.setAttribute("aria-label", `${words}${target ? ", the target" : ""}`);
    thing.addEventListener("keydown", (event) => this.press(event, id));
    thing.addEventListener("pointerdown", (event) => this.drag(event, thing, id));
  }

  private press(event: KeyboardEvent, id: string): void {
    const step = STEPS[event.key], at = this.places().get(id);
    if (event.key === "Enter" || event.key === " ") this.events.choose(id);
    else if (event.key === "Delete" || event.key === "Backspace") this.events.remove(id);
    else if (step && at) this.events.move(id, [Math.max(0, at[0] + step[0]), Math.max(0, at[1] + step[1])]);
    else return;
    event.preventDefault();
  }

  private drag(event: PointerEvent, thing: HTMLElement, id: string): void {
    if (event.button !== 0) return;
    const [x, y] = [event.clientX, event.clientY];
    const whole = thing.parentElement!.getBoundingClientRect(), own = thing.getBoundingClientRect();
    thing.setPointerCapture(event.pointerId);
    thing.classList.add("held");
    const move = (at: PointerEvent): void => {
      thing.style.transform = `translate(${at.clientX - x}px, ${at.clientY - y}px)`;
    };
    const end = (at: PointerEvent): void => {
      thing.removeEventListener("pointermove", move);
      thing.classList.remove("held");
      thing.style.transform = "";
      if (Math.hypot(at.clientX - x, at.clientY - y) < STILL) {
        this.events.choose(id);
        return;
      }
      const { box: [, , width, height] } = this.look!.things.find((other) => other.id === id)!;
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
