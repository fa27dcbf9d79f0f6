// A photograph that can be enlarged and scrolled, and in which a point, a box or a mark is shown. Places are pixels of the picture itself: the share of the sheet under
// the pointer times the picture's size, so that neither zoom nor screen changes them.

import { button, make } from "../../common/dom.ts";
import type { Say } from "../../common/strings.ts";
import { onPress, pointerOf, pressOf, type Press } from "../../timing/press.ts";

export interface Photo {
  picture: string;
  width: number;
  height: number;
}

export interface Mark {
  id: string;
  box: readonly number[];
}

export interface Spot {
  x: number;
  y: number;
  box?: [number, number, number, number];
  mark?: string;
}

const STEP = 1.5;
const LARGEST = 8;
const NUDGE = 0.02;
const LEAST_SIDE = 2; // pixels of the picture: less is a click and no box

type OnSpot = (spot: Spot, press: Press) => void;

export class Photograph {
  readonly node: HTMLElement;
  zooms = 0;
  private scale = 1;
  private readonly sheet: HTMLElement;
  private readonly frame: HTMLElement;
  private readonly cross = make("span", { class: "cross" });
  private readonly box = make("span", { class: "drawn-box" });
  private readonly marks = new Map<string, HTMLElement>();
  private aim = { x: 0.5, y: 0.5 };

  constructor(private readonly photo: Photo, marks: readonly Mark[], private readonly way: "point" | "box" | "mark", say: Say) {
    const image = make("img", { src: photo.picture, alt: say("photograph"), draggable: "false", decoding: "sync" });
    this.sheet = make("div", { class: "sheet", tabindex: 0, role: "application", "aria-label": say("photograph") }, image, this.cross, this.box);
    this.sheet.style.aspectRatio = `${photo.width} / ${photo.height}`;
    marks.forEach((mark, i) => this.sheet.append(this.makeMark(mark, say("mark_number", { n: i + 1 }), i + 1)));
    this.frame = make("div", { class: "frame" }, this.sheet);
    const [larger, smaller] = [button("+", "quiet"), button("−", "quiet")];
    larger.setAttribute("aria-label", say("enlarge"));
    smaller.setAttribute("aria-label", say("reduce"));
    larger.addEventListener("click", () => this.zoom(STEP));
    smaller.addEventListener("click", () => this.zoom(1 / STEP));
    this.node = make("div", { class: "photograph", dir: "ltr" }, this.frame, make("div", { class: "zoom" }, smaller, larger));
    this.frame.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return; // pinching, or a wheel with Ctrl; a plain wheel scrolls
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    }, { passive: false });
    this.show(null);
  }

  // The answer in the way that was asked for.
  onSpot(act: OnSpot, signal: AbortSignal): void {
    if (this.way === "mark") {
      for (const [id, node] of this.marks) onPress(node, (press) => act({ x: 0, y: 0, mark: id }, press), signal);
    } else if (this.way === "box") this.onBox(act, signal);
    else this.onPoint(act, signal);
  }

  // A guess is a point, whatever the answer would have been.
  onGuess(act: OnSpot, signal: AbortSignal): void {
    this.onPoint(act, signal);
  }

  show(spot: Spot | null): void {
    const point = spot && !spot.box && !spot.mark ? spot : null;
    this.cross.hidden = !point;
    if (point) this.put(this.cross, point.x, point.y, point.x, point.y);
    this.box.hidden = !spot?.box;
    if (spot?.box) this.put(this.box, ...spot.box);
    for (const [id, node] of this.marks) node.setAttribute("aria-pressed", String(id === spot?.mark));
  }

  private onPoint(act: OnSpot, signal: AbortSignal): void {
    this.sheet.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      act(this.placeOf(event), pressOf(event, pointerOf(event)));
    }, { signal });
    this.sheet.addEventListener("keydown", (event) => this.steer(event, act), { signal });
  }

  // Arrows move a cross over the picture, Enter answers: nobody needs a mouse.
  private steer(event: KeyboardEvent, act: OnSpot): void {
    const moves: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = moves[event.key];
    const spot = (): Spot => ({ x: this.aim.x * this.photo.width, y: this.aim.y * this.photo.height });
    if (move) {
      event.preventDefault();
      this.aim = { x: within(this.aim.x + move[0] * NUDGE, 1), y: within(this.aim.y + move[1] * NUDGE, 1) };
      this.show(spot());
    } else if (event.key === "Enter" && !event.repeat) {
      event.preventDefault();
      act(spot(), pressOf(event, "keyboard"));
    }
  }

  private onBox(act: OnSpot, signal: AbortSignal): void {
    let start: Spot | null = null;
    this.sheet.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      event.preventDefault();
      this.sheet.setPointerCapture?.(event.pointerId);
      start = this.placeOf(event);
    }, { signal });
    this.sheet.addEventListener("pointermove", (event) => {
      if (start) this.show(between(start, this.placeOf(event)));
    }, { signal });
    this.sheet.addEventListener("pointerup", (event) => {
      const drawn = start && between(start, this.placeOf(event));
      start = null;
      if (!drawn) return;
      const [left, top, right, bottom] = drawn.box;
      if (right - left >= LEAST_SIDE && bottom - top >= LEAST_SIDE) act(drawn, pressOf(event, pointerOf(event)));
      else this.show(null);
    }, { signal });
  }

  private placeOf(event: PointerEvent): Spot {
    const { left, top, width, height } = this.sheet.getBoundingClientRect();
    const x = within((event.clientX - left) / (width || 1), 1) * this.photo.width;
    const y = within((event.clientY - top) / (height || 1), 1) * this.photo.height;
    return { x, y };
  }

  private zoom(by: number): void {
    const scale = Math.min(LARGEST, Math.max(1, this.scale * by));
    if (scale === this.scale) return;
    const { frame } = this;
    // What was in the middle stays there.
    const [x, y] = [(frame.scrollLeft + frame.clientWidth / 2) / this.scale, (frame.scrollTop + frame.clientHeight / 2) / this.scale];
    this.scale = scale;
    this.zooms += 1;
    this.sheet.style.setProperty("--zoom", String(scale));
    frame.scrollLeft = x * scale - frame.clientWidth / 2;
    frame.scrollTop = y * scale - frame.clientHeight / 2;
  }

  private makeMark(mark: Mark, name: string, n: number): HTMLElement {
    const node = make("button", { type: "button", class: "mark", "aria-label": name, "aria-pressed": "false", "data-entity": mark.id }, make("span", {}, String(n)));
    this.put(node, ...(mark.box as [number, number, number, number]));
    this.marks.set(mark.id, node);
    return node;
  }

  private put(node: HTMLElement, left: number, top: number, right: number, bottom: number): void {
    const { width, height } = this.photo;
    Object.assign(node.style, {
      left: `${(100 * left) / width}%`, top: `${(100 * top) / height}%`, width: `${(100 * (right - left)) / width}%`, height: `${(100 * (bottom - top)) / height}%`,
    });
  }
}

function within(share: number, most: number): number {
  return Math.min(most, Math.max(0, share));
}

function between(one: Spot, other: Spot): Spot & { box: [number, number, number, number] } {
  const [left, right] = one.x < other.x ? [one.x, other.x] : [other.x, one.x];
  const [top, bottom] = one.y < other.y ? [one.y, other.y] : [other.y, one.y];
  return { x: (left + right) / 2, y: (top + bottom) / 2, box: [left, top, right, bottom] };
}
