// The objects of a reference game in one person's own order: pressed by listeners, marked for the speaker, and after a round with what was meant and who chose what.

import { make } from "../common/dom.ts";
import type { ChoiceRound } from "./wire.ts";
import type { Tell } from "./words.ts";

export interface ShownPicture {
  id: string;
  picture: string;
}

export interface GridState {
  chosen: string | null;
  mayChoose: boolean;
  seat: number;
}

// A little wider than high, with as few empty places as can be.
export function columnsFor(pictures: number): number {
  const wish = Math.sqrt(pictures * 1.3);
  const possible = Array.from({ length: pictures }, (_, i) => i + 1).filter((n) => n >= Math.ceil(Math.sqrt(pictures)) && n <= 2 * wish);
  const price = (n: number): number => Math.abs(n - wish) + 1.2 * (Math.ceil(pictures / n) * n - pictures);
  return possible.reduce((best, n) => (price(n) < price(best) ? n : best));
}

export class PictureGrid {
  readonly node: HTMLElement;
  private readonly cells = new Map<string, HTMLButtonElement>();
  private order = "";

  constructor(pictures: readonly ShownPicture[], private readonly tell: Tell, choose: (id: string) => void) {
    this.node = make("div", { class: "choice-grid", role: "group", dir: "ltr" });
    const columns = columnsFor(pictures.length);
    const sizes = { columns, rows: Math.ceil(pictures.length / columns), "narrow-columns": pictures.length > 6 ? 4 : Math.min(3, columns) };
    for (const [name, value] of Object.entries(sizes)) this.node.style.setProperty(`--${name}`, String(value));
    for (const { id, picture } of pictures) {
      const cell = make("button", { type: "button", class: "choice", "data-object": id }, make("img", { src: picture, alt: "", draggable: "false", decoding: "sync" }), make("span", { class: "choice-who", "aria-hidden": "true" }));
      cell.addEventListener("click", () => choose(id));
      this.cells.set(id, cell);
    }
  }

  show({ order, target, feedback }: ChoiceRound, { chosen, mayChoose, seat }: GridState): void {
    // Only when it changes: moving a node would take the focus from it.
    if (order.join() !== this.order) this.node.replaceChildren(...order.map((id) => this.cells.get(id)!));
    this.order = order.join();
    const meant = target ?? feedback?.target ?? null;
    order.forEach((id, i) => {
      const cell = this.cells.get(id)!;
      const own = feedback?.choices.find((choice) => choice.seat === seat);
      const wrong = feedback !== null && own?.object === id && own.right === false;
      const right = feedback !== null && own?.object === id && own.right === true;
      cell.disabled = !mayChoose;
      cell.classList.toggle("target", id === meant);
      cell.classList.toggle("chosen", id === chosen);
      cell.classList.toggle("wrong", wrong);
      cell.classList.toggle("right", right);
      cell.classList.toggle("other", (chosen !== null || meant !== null) && id !== chosen && id !== meant);
      cell.setAttribute("aria-pressed", String(id === chosen));
      cell.setAttribute("aria-label", this.nameOf(i, id === meant));
      const by = (feedback?.choices ?? []).filter(({ object }) => object === id);
      cell.querySelector(".choice-who")!.replaceChildren(...by.map((choice) => make("i", { class: choice.right ? "good" : "bad" }, choice.seat === seat ? this.tell("me") : String(choice.seat + 1))));
    });
  }

  private nameOf(place: number, meant: boolean): string {
    const plain = this.tell("choose_picture", { n: place + 1 });
    return meant ? `${plain}, ${this.tell("choose_marked")}` : plain;
  }
}
