// The work on one utterance: its expressions, their referents and codes; every change is told at once and can be taken back.

import { button, make } from "../common/dom.ts";
import { kindOf } from "../tangram/board.ts";
import type { Mark, Utterance } from "./api.ts";
import { addMark, changeMark, referentsTold, sameMarks, tidy, toggled } from "./marks.ts";
import { Sentence } from "./sentence.ts";

// Two rows of a keyboard for the sixteen codes, in their usual order.
export const CODE_KEYS = "qwertyuiasdfghjk";

export interface Orders {
  change: (marks: Mark[], done: boolean) => void;
  finish: () => void;
  listen: () => void;
  lit: (pieces: readonly string[]) => void;
}

export class Editor {
  readonly node: HTMLElement;
  private marks: Mark[] = [];
  private selected = 0;
  private proposed = false;
  private utterance: Utterance | null = null;
  private readonly sentence: Sentence;
  private readonly head = make("p", { class: "editor-head" });
  private readonly note = make("p", { class: "note", role: "status" });
  private readonly others = make("div", { class: "others" });
  private readonly list = make("ol", { class: "expressions" });
  private readonly pieces = make("div", { class: "keys-row", role: "group", "aria-label": "Referents" });
  private readonly codes = make("div", { class: "codes", role: "group", "aria-label": "Attributes" });

  constructor(private readonly attributes: Record<string, string>, private readonly orders: Orders, private readonly board: readonly string[]) {
    this.sentence = new Sentence({ mark: (start, end) => this.add(start, end), select: (place) => this.select(place) });
    const finish = button("Done, next (V)");
    finish.addEventListener("click", () => this.orders.finish());
    const listen = button("Hear it (L)", "quiet");
    listen.addEventListener("click", () => this.orders.listen());
    const remove = button("Remove (⌫)", "quiet");
    remove.addEventListener("click", () => this.remove());
    this.node = make(
      "section", { class: "editor" }, this.head, this.sentence.node, this.note, this.others, this.list,
      make("h3", {}, "Referent"), this.pieces, make("h3", {}, "Attributes"), this.codes, make("div", { class: "editor-actions" }, remove, listen, finish),
    );
  }

  get current(): Mark[] {
    return this.marks;
  }

  show(utterance: Utterance, place: number, of: number): void {
    this.utterance = utterance;
    this.proposed = utterance.marks === null && Boolean(utterance.proposed?.length);
    this.marks = tidy(utterance.marks ?? utterance.proposed ?? []);
    this.selected = this.marks.length ? 0 : -1;
    this.head.replaceChildren(`Utterance ${place + 1} of ${of}, ${utterance.by}`, utterance.done ? make("span", { class: "pill" }, "done") : "");
    this.draw(true);
  }

  // Why an utterance cannot be done yet.
  complain(mark: Mark): void {
    this.select(this.marks.findIndex(({ start, end }) => start === mark.start && end === mark.end));
    const words = this.utterance?.text.slice(mark.start, mark.end) ?? "";
    this.note.textContent = `“${words}” has no referent yet: press its number, or 0 if it is not clear which piece is meant.`;
  }

  // True when the key was one of the editor's.
  press(event: KeyboardEvent): boolean {
    const act = this.actFor(event);
    if (!act) return false;
    event.preventDefault();
    act();
    return true;
  }

  private actFor(event: KeyboardEvent): (() => void) | null {
    const { key, shiftKey } = event;
    if (key === "ArrowLeft" || key === "ArrowRight") return () => this.sentence.walk(key === "ArrowLeft" ? -1 : 1, shiftKey);
    if (key === "Enter") return () => this.sentence.markSelection();
    if (key === "Backspace" || key === "Delete") return () => this.remove();
    if (key === "Tab" && this.marks.length > 1) return () => this.select((this.selected + (shiftKey ? this.marks.length - 1 : 1)) % this.marks.length);
    if (key === "[" || key === "]") return this.taking(key === "[" ? 0 : 1);
    if (key === "p") return () => this.accept();
    const piece = /^[1-9]$/.test(key) ? this.board[Number(key) - 1] : undefined;
    if (piece) return () => this.toggleReferent(piece);
    if (key === "0") return () => this.toggleUnclear();
    const code = CODE_KEYS.indexOf(key);
    return code >= 0 && key.length === 1 ? () => this.toggleCode(Object.keys(this.attributes)[code]!) : null;
  }

  private taking(place: number): (() => void) | null {
    const found = Object.values(this.utterance?.others ?? {})[place];
    return found ? () => this.replace(found) : null;
  }

  private add(start: number, end: number): void {
    const marks = addMark(this.marks, start, end);
    this.set(marks, marks.findIndex((mark) => mark.start === start && mark.end === end));
  }

  private select(place: number): void {
    this.selected = place;
    this.draw(false);
  }

  private remove(): void {
    if (this.selected < 0) return;
    const marks = this.marks.filter((_, i) => i !== this.selected);
    this.set(marks, Math.min(this.selected, marks.length - 1));
  }

  private accept(): void {
    if (this.proposed) this.set(this.marks, this.selected);
  }

  private replace(marks: readonly Mark[]): void {
    this.set(tidy(marks), marks.length ? 0 : -1);
  }

  private toggleReferent(piece: string): void {
    const mark = this.marks[this.selected];
    if (mark) this.set(changeMark(this.marks, this.selected, { referents: toggled(mark.referents, piece) }), this.selected);
  }

  private toggleUnclear(): void {
    const mark = this.marks[this.selected];
    if (mark) this.set(changeMark(this.marks, this.selected, { uncertain: !mark.uncertain }), this.selected);
  }

  private toggleCode(code: string): void {
    const mark = this.marks[this.selected];
    if (mark) this.set(changeMark(this.marks, this.selected, { attributes: toggled(mark.attributes, code) }), this.selected);
  }

  private set(marks: readonly Mark[], selected: number): void {
    this.marks = tidy(marks);
    this.selected = selected;
    this.proposed = false;
    this.orders.change(this.marks, this.utterance?.done ?? false);
    this.draw(false);
  }

  // -- drawing -------------------------------------------------------------------------------------------------------------

  private draw(fresh: boolean): void {
    const { utterance } = this;
    if (!utterance) return;
    this.sentence.show(utterance.text, this.marks, this.selected, this.proposed, fresh);
    this.note.textContent = this.advice(utterance);
    this.drawOthers(utterance);
    this.drawList(utterance.text);
    const mark = this.marks[this.selected];
    this.orders.lit(mark?.referents ?? []);
    this.pieces.replaceChildren(
      ...this.board.map((piece, i) => this.key(i < 9 ? String(i + 1) : "", piece, kindOf(piece), mark?.referents.includes(piece), () => this.toggleReferent(piece))),
      this.key("0", "unclear", "it is not clear which of these is meant", mark?.uncertain, () => this.toggleUnclear()),
    );
    this.codes.replaceChildren(...Object.entries(this.attributes).map(([code, meaning], i) => this.key(CODE_KEYS[i]!, code, meaning, mark?.attributes.includes(code), () => this.toggleCode(code))));
  }

  private advice({ others, marks }: Utterance): string {
    if (this.proposed) return "Proposed by the program: correct it, or accept it with P (V accepts and goes on).";
    if (this.marks.length) return "";
    if (others && marks === null) return "They differ: take one of the two, or mark something else.";
    return "No expression: draw over words, or ← → and Enter. V if there is none.";
  }

  private key(letter: string, label: string, meaning: string, on: boolean | undefined, act: () => void): HTMLElement {
    const node = make(
      "button", { type: "button", class: `key${on ? " on" : ""}`, "aria-pressed": String(Boolean(on)), title: meaning, disabled: this.selected < 0 },
      letter === label || !letter ? null : make("kbd", {}, letter.toUpperCase()), make("span", {}, label), letter === label || label === "unclear" ? null : make("small", {}, meaning),
    );
    node.addEventListener("click", act);
    return node;
  }

  private drawList(text: string): void {
    const rows = this.marks.map((mark, i) => {
      const node = make(
        "button", { type: "button", class: `expression${i === this.selected ? " selected" : ""}` },
        make("span", { class: "expression-text" }, text.slice(mark.start, mark.end)), make("span", {}, referentsTold(mark)), make("span", { class: "expression-codes" }, mark.attributes.join(" ")),
      );
      node.addEventListener("click", () => this.select(i));
      return make("li", {}, node);
    });
    this.list.replaceChildren(...rows);
  }

  private drawOthers(utterance: Utterance): void {
    const cards = Object.entries(utterance.others ?? {}).map(([name, marks], i) => {
      const take = button(`Take ${name} (${"[]"[i]})`, "quiet");
      take.addEventListener("click", () => this.replace(marks));
      const rows = tidy(marks).map((mark) =>
        make("li", {}, make("span", { class: "expression-text" }, utterance.text.slice(mark.start, mark.end)), ` ${referentsTold(mark)} `, make("span", { class: "expression-codes" }, mark.attributes.join(" "))));
      const taken = utterance.marks !== null && sameMarks(marks, this.marks);
      return make("div", { class: `other${taken ? " taken" : ""}` }, make("h3", {}, name), make("ul", {}, ...(rows.length ? rows : [make("li", {}, "no expression")])), take);
    });
    this.others.replaceChildren(...cards);
  }
}
