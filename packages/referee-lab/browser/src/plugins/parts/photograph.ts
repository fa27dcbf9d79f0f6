// A photograph that can be enlarged and scrolled, and in which a point, a box or a mark is shown. Places are pixels of the picture itself: the share of the sheet under
// the pointer times the picture's size, so that neither zoom nor screen changes them.

import { button, make } from "../../common/dom.ts";
import type { Say } from "../../common/strings.ts";
import { onPress, pointerOf, pressOf, type Press } from "../../timing/press.ts";
import { Fingers } from "./fingers.ts";

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
  private readonly fingers: Fingers;
  private held = { across: 0.5, down: 0.5, scale: 1, counted: false };
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
    this.fingers = new Fingers(this.sheet, {
      pan: way === "box" ? null : (dx, dy) => this.pan(dx, dy),
      grip: (x, y) => (this.held = { ...this.shareAt(x, y), scale: this.scale, counted: false }),
      pinch: (by, x, y) => this.pinch(by, x, y),
    });
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
    let touched: { spot: Spot; press: Press } | null = null;
    this.sheet.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      const found = { spot: this.placeOf(event), press: pressOf(event, pointerOf(event)) };
      if (event.pointerType === "mouse") act(found.spot, found.press);
      else touched = found;
    }, { signal });
    // Whether a finger taps or moves the picture is known when it leaves; what counts is when and where it came down.
    this.sheet.addEventListener("pointerup", (event) => {
      if (touched && event.isPrimary && this.fingers.tapped) act(touched.spot, touched.press);
      if (event.isPrimary) touched = null;
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
      if (start && this.fingers.several) this.show((start = null));
      else if (start && event.isPrimary) this.show(between(start, this.placeOf(event)));
    }, { signal });
    this.sheet.addEventListener("pointercancel", () => this.show((start = null)), { signal });
    this.sheet.addEventListener("pointerup", (event) => {
      if (!event.isPrimary) return;
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

  // What was in the middle stays there.
  private zoom(by: number): void {
    const seen = this.frame.getBoundingClientRect();
    const [x, y] = [seen.left + seen.width / 2, seen.top + seen.height / 2];
    const { across, down } = this.shareAt(x, y);
    if (this.enlarge(this.scale * by)) this.zooms += 1;
    this.bring(across, down, x, y);
  }

  // What was between the fingers when they came down stays between them; however often they move, it is one zoom.
  private pinch(by: number, x: number, y: number): void {
    const { held } = this;
    if (this.enlarge(held.scale * by) && !held.counted) {
      held.counted = true;
      this.zooms += 1;
    }
    this.bring(held.across, held.down, x, y);
  }

  private enlarge(wanted: number): boolean {
    const scale = Math.min(LARGEST, Math.max(1, wanted));
    if (scale === this.scale) return false;
    this.scale = scale;
    this.sheet.style.setProperty("--zoom", String(scale));
    return true;
  }

  private shareAt(x: number, y: number): { across: number; down: number } {
    const { left, top, width, height } = this.sheet.getBoundingClientRect();
    return { across: (x - left) / (width || 1), down: (y - top) / (height || 1) };
  }

  private bring(across: number, down: number, x: number, y: number): void {
    const { left, top, width, height } = this.sheet.getBoundingClientRect();
    this.frame.scrollLeft += left + across * width - x;
    this.frame.scrollTop += top + down * height - y;
  }

  // The picture follows the finger; where it is all to be seen, the page does.
  private pan(dx: number, dy: number): void {
    const { frame } = this;
    const top = frame.scrollTop;
    frame.scrollLeft -= dx;
    frame.scrollTop -= dy;
    if (frame.scrollTop === top) window.scrollBy(0, -dy);
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
