// An utterance whose words can be marked: press a word or draw over several, or walk with the arrows and press Enter.

import { make } from "../common/dom.ts";
import type { Mark } from "./api.ts";
import { markAt, wordsIn, type Word } from "./marks.ts";

export interface Choices {
  mark: (start: number, end: number) => void;
  select: (place: number) => void;
}

export class Sentence {
  readonly node = make("p", { class: "sentence", dir: "auto" });
  private words: Word[] = [];
  private spans: HTMLElement[] = [];
  private anchor = 0;
  private focus = 0;
  private drawing: number | null = null;
  private marks: readonly Mark[] = [];

  constructor(private readonly choices: Choices) {
    this.node.addEventListener("pointerdown", (event) => this.begin(event));
    this.node.addEventListener("pointermove", (event) => this.draw(event));
    document.addEventListener("pointerup", () => this.finish());
  }

  show(text: string, marks: readonly Mark[], selected: number, proposed: boolean, fresh: boolean): void {
    if (fresh) [this.anchor, this.focus] = [0, 0];
    this.marks = marks;
    this.words = wordsIn(text);
    this.spans = this.words.map((word, i) => this.makeWord(text, word, i, selected, proposed));
    const parts: (Node | string)[] = [];
    let end = 0;
    this.words.forEach((word, i) => {
      const gap = text.slice(end, word.start);
      if (gap) parts.push(this.makeGap(gap, end, selected, proposed));
      parts.push(this.spans[i]!);
      end = word.end;
    });
    this.node.replaceChildren(...parts, text.slice(end));
    this.drawSelection();
  }

  walk(by: 1 | -1, extend: boolean): void {
    this.focus = Math.min(Math.max(this.focus + by, 0), this.words.length - 1);
    if (!extend) this.anchor = this.focus;
    this.drawSelection();
  }

  markSelection(): void {
    const [first, last] = [this.words[Math.min(this.anchor, this.focus)], this.words[Math.max(this.anchor, this.focus)]];
    if (first && last) this.choices.mark(first.start, last.end);
  }

  private makeWord(text: string, word: Word, i: number, selected: number, proposed: boolean): HTMLElement {
    const place = markAt(this.marks, word.start);
    const depth = this.marks.filter((mark) => mark.start <= word.start && word.end <= mark.end).length;
    const kinds = ["token", depth > 0 && "marked", depth > 1 && "nested", place >= 0 && place === selected && "selected", depth > 0 && proposed && "proposed"];
    return make("span", { class: kinds.filter(Boolean).join(" "), "data-word": i }, text.slice(word.start, word.end));
  }

  // A blank belongs to an expression when both of its neighbours do.
  private makeGap(gap: string, start: number, selected: number, proposed: boolean): HTMLElement {
    const place = markAt(this.marks, start);
    const inside = place >= 0 && this.marks[place]!.end >= start + gap.length && this.marks[place]!.start < start;
    return make("span", { class: ["gap", inside && "marked", inside && place === selected && "selected", inside && proposed && "proposed"].filter(Boolean).join(" ") }, gap);
  }

  private drawSelection(): void {
    const [low, high] = [Math.min(this.anchor, this.focus), Math.max(this.anchor, this.focus)];
    this.spans.forEach((span, i) => span.classList.toggle("chosen-word", i >= low && i <= high));
  }

  private wordOf(event: PointerEvent): number | null {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-word]");
    return found && this.node.contains(found) ? Number(found.dataset.word) : null;
  }

  private begin(event: PointerEvent): void {
    const word = this.wordOf(event);
    if (word === null || event.button !== 0) return;
    event.preventDefault();
    (event.target as Element).releasePointerCapture?.(event.pointerId);
    [this.drawing, this.anchor, this.focus] = [word, word, word];
    this.drawSelection();
  }

  private draw(event: PointerEvent): void {
    const word = this.drawing === null ? null : this.wordOf(event);
    if (word === null) return;
    this.focus = word;
    this.drawSelection();
  }

  // One press on a marked word selects its expression; everything else makes one.
  private finish(): void {
    if (this.drawing === null) return;
    this.drawing = null;
    const place = markAt(this.marks, this.words[this.anchor]!.start);
    if (this.anchor === this.focus && place >= 0) this.choices.select(place);
    else this.markSelection();
  }
}
