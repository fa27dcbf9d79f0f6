// Everything that was said, in order; the line last heard is marked, and a press on a line goes there.

import { clock } from "../common/clock.ts";
import { make } from "../common/dom.ts";
import type { Said } from "./film.ts";

export class Transcript {
  readonly node = make("ol", { class: "transcript", "aria-label": "Transcript" });
  private readonly lines: HTMLElement[] = [];
  private current = -1;

  constructor(private readonly said: readonly Pick<Said, "by" | "text" | "shown_ms">[], jump: (time: number, place: number) => void) {
    for (const [place, line] of said.entries()) {
      const node = make(
        "button", { type: "button", class: `line by-${line.by}` },
        make("span", { class: "line-time" }, clock(line.shown_ms)), make("span", { class: "line-by" }, line.by), make("span", { class: "line-text" }, line.text),
      );
      node.addEventListener("click", () => jump(line.shown_ms, place));
      this.lines.push(node);
      this.node.append(make("li", {}, node));
    }
  }

  follow(time: number): void {
    let place = -1;
    for (const [i, line] of this.said.entries()) if (line.shown_ms <= time) place = i;
    if (place === this.current) return;
    this.lines[this.current]?.classList.remove("current");
    this.current = place;
    const line = this.lines[place];
    line?.classList.add("current");
    if (line) this.scrollTo(line);
  }

  line(place: number): HTMLElement | undefined {
    return this.lines[place];
  }

  // Only the list scrolls, never the page.
  private scrollTo(line: HTMLElement): void {
    const [box, own] = [this.node.getBoundingClientRect(), line.getBoundingClientRect()];
    if (own.top < box.top || own.bottom > box.bottom) this.node.scrollTop += own.top - box.top - box.height / 3;
  }
}
