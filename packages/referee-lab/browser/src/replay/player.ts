// A projector with controls: play, scrub, any speed, frame by frame, cursor and numbers on or off, speech as subtitles. It reads and never writes.

import { clock } from "../common/clock.ts";
import { make } from "../common/dom.ts";
import type { Frames } from "../timing/frames.ts";
import type { Film, Said } from "./film.ts";
import { Projector } from "./projector.ts";

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8] as const;
const CAPTION_MS = 6000;
const JUMP_MS = 5000;

// What was last heard, for as long as one would look at it.
export function captionAt(said: readonly Said[], time: number): Said | null {
  const recent = said.filter((line) => line.shown_ms <= time && time - line.shown_ms <= CAPTION_MS);
  return recent.at(-1) ?? null;
}

export class Player {
  readonly node: HTMLElement;
  readonly projector: Projector;
  private readonly playButton = make("button", { type: "button", class: "control main" });
  private readonly scrub: HTMLInputElement;
  private readonly stamp = make("span", { class: "stamp" });
  private readonly caption = make("p", { class: "caption", "aria-live": "off" });
  private readonly speed = make("select", { class: "control", "aria-label": "Speed" }, ...SPEEDS.map((s) => make("option", { value: s }, `${s}×`)));
  private readonly cursor = make("input", { type: "checkbox", id: "show-cursor" });
  private readonly numbers = make("input", { type: "checkbox", id: "show-numbers" });
  private readonly heard = make("input", { type: "checkbox", id: "hear-voices" });

  constructor(private readonly film: Film, frames: Frames, private readonly tell: (time: number) => void = () => undefined) {
    this.scrub = make("input", { type: "range", class: "scrub", min: film.start, max: film.end, step: "any", value: film.start, "aria-label": "Time" });
    this.projector = new Projector(film, frames, "Working area", ({ time, playing }) => this.follow(time, playing));
    this.speed.value = "1";
    [this.cursor.checked, this.numbers.checked, this.heard.checked] = [true, false, true];
    const stage = make("div", { class: "player-stage" }, this.projector.view.svg, this.caption);
    this.node = make("section", { class: "player plain-pieces" }, stage, this.scrub, this.makeBar(), this.projector.voices.node);
    this.listen();
    this.follow(film.start, false);
  }

  seek(time: number): void {
    this.projector.seek(time);
  }

  toggle(): void {
    if (this.projector.playing) this.projector.pause();
    else this.projector.play();
  }

  setSpeed(value: number): void {
    this.projector.speed = value;
    this.speed.value = String(value);
  }

  showNumbers(visible: boolean): void {
    this.numbers.checked = visible;
    this.node.classList.toggle("plain-pieces", !visible);
  }

  // True when the key was one of the player's.
  press(event: KeyboardEvent): boolean {
    const act = this.keys(event)[event.key];
    if (!act || event.ctrlKey || event.altKey || event.metaKey) return false;
    event.preventDefault();
    act();
    return true;
  }

  private keys(event: KeyboardEvent): Record<string, () => void> {
    const step = (direction: 1 | -1) => (): void => (event.shiftKey ? this.seek(this.projector.time + direction * JUMP_MS) : this.projector.step(direction));
    return {
      " ": () => this.toggle(), "ArrowLeft": step(-1), "ArrowRight": step(1), "Home": () => this.seek(this.film.start), "End": () => this.seek(this.film.end),
      "+": () => this.changeSpeed(1), "-": () => this.changeSpeed(-1),
      "c": () => this.cursor.click(), "n": () => this.numbers.click(), "v": () => this.heard.click(),
    };
  }

  private changeSpeed(by: 1 | -1): void {
    const place = SPEEDS.indexOf(this.projector.speed as (typeof SPEEDS)[number]) + by;
    this.setSpeed(SPEEDS[Math.min(Math.max(place, 0), SPEEDS.length - 1)]!);
  }

  private makeBar(): HTMLElement {
    const step = (direction: 1 | -1, sign: string, label: string): HTMLElement => {
      const node = make("button", { type: "button", class: "control", "aria-label": label, title: label }, sign);
      node.addEventListener("click", () => this.projector.step(direction));
      return node;
    };
    const check = (input: HTMLInputElement, label: string): HTMLElement => make("label", { class: "check", for: input.id }, input, label);
    return make(
      "div", { class: "player-bar" },
      step(-1, "‹", "One frame back"), this.playButton, step(1, "›", "One frame on"), this.stamp,
      make("span", { class: "player-options" }, this.speed, check(this.cursor, "cursor"), check(this.numbers, "numbers"), this.projector.voices.any && check(this.heard, "voices")),
    );
  }

  private listen(): void {
    this.playButton.addEventListener("click", () => this.toggle());
    this.scrub.addEventListener("input", () => this.seek(Number(this.scrub.value)));
    this.speed.addEventListener("change", () => this.setSpeed(Number(this.speed.value)));
    this.cursor.addEventListener("change", () => (this.projector.cursor = this.cursor.checked));
    this.heard.addEventListener("change", () => (this.projector.voices.muted = !this.heard.checked));
    this.numbers.addEventListener("change", () => this.showNumbers(this.numbers.checked));
  }

  private follow(time: number, playing: boolean): void {
    this.scrub.value = String(time);
    this.scrub.setAttribute("aria-valuetext", clock(time));
    this.stamp.textContent = `${clock(time, 2)} / ${clock(this.film.end)}`;
    this.playButton.textContent = playing ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    const line = captionAt(this.film.data.said, time);
    this.caption.replaceChildren(...(line ? [make("b", {}, `${line.by} `), line.text] : [" "]));
    this.tell(time);
  }
}
