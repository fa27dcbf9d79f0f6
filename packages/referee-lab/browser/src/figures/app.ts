// Own goal figures: pieces are laid freely on the board of the game, the program says whether they make a figure that can be solved, and keeps it under a name.

import { button, make } from "../common/dom.ts";
import { Server, wordsOf } from "../common/server.ts";
import { LiveHand } from "../room/hand.ts";
import { applyChange, piecesOn, type Board, type Change } from "../tangram/board.ts";
import { BoardView, drawGoal } from "../tangram/board-view.ts";

interface Kept {
  name: string;
  symmetric: boolean;
  pieces: number;
  path: string;
}

interface Facts {
  file: string;
  board: Board;
  goals: Kept[];
}

interface Checked {
  board: Board;
  problems: string[];
  left_out: string[];
  symmetric: boolean | null;
  path: string | null;
}

export class FiguresApp {
  private readonly server: Server;
  private board!: Board;
  private view!: BoardView;
  private hand!: LiveHand;
  private readonly told = make("ul", { class: "figure-told", role: "status" });
  private readonly outline = make("div", {});
  private readonly kept = make("ul", { class: "figure-list" });
  private readonly name = make("input", { "type": "text", "aria-label": "Name of the figure", "placeholder": "name, e.g. fish", "maxlength": 40, "autocapitalize": "none", "autocomplete": "off" });
  private readonly save = button("Keep it");
  private asked = 0;

  constructor(private readonly root: HTMLElement, token: string) {
    this.server = new Server({ base: "api/", token: () => token });
  }

  async start(): Promise<void> {
    const facts = await this.server.ask<Facts>("GET", "figures");
    this.board = facts.board;
    this.view = new BoardView(this.board.area, { label: "Board", numbers: true, pieces: piecesOn(this.board) });
    this.view.show(this.board);
    this.hand = new LiveHand({
      view: this.view, board: () => this.board, act: (change) => this.act(change), move: () => undefined,
      select: (piece) => this.view.mark("selected", [piece]),
    });
    this.layOut(facts.file);
    this.showKept(facts.goals);
    this.frame();
    await this.check(null);
  }

  private layOut(file: string): void {
    const head = make("header", { class: "room-head" }, make("div", { class: "room-role" }, make("h1", {}, "Lay a figure"), make("p", {}, "Drag the pieces together; they snap to each other. R turns, F flips, arrow keys move.")));
    const work = make("section", { class: "room-work" }, make("div", { class: "room-table" }, this.view.svg), this.makeTools());
    const form = make("form", {}, this.name, this.save);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.keep();
    });
    this.save.type = "submit";
    const now = make("section", { class: "figure-panel" }, make("h2", { class: "panel-title" }, "What the solver will see"), this.outline, this.told, form);
    const kept = make("section", { class: "figure-panel kept" }, make("h2", { class: "panel-title" }, `Kept in ${file}`), this.kept);
    this.root.classList.add("room", "figures");
    this.root.replaceChildren(make("div", { class: "room-stage" }, make("div", { class: "room-game as-solo" }, head, make("aside", { class: "room-side" }, now, kept), work)));
  }

  private makeTools(): HTMLElement {
    const tool = (label: string, act: () => void): HTMLElement => {
      const made = make("button", { type: "button", class: "button quiet tool" }, label);
      made.addEventListener("click", act);
      return made;
    };
    return make("div", { class: "room-tools", role: "toolbar" },
      tool("↺ Turn left", () => this.hand.rotate(-1)), tool("↻ Turn right", () => this.hand.rotate(1)), tool("⇋ Flip", () => this.hand.flip()), tool("Start anew", () => void this.anew()));
  }

  private readonly frame = (): void => {
    this.hand.frame();
    requestAnimationFrame(this.frame);
  };

  private act(change: Change): void {
    this.board = applyChange(this.board, change);
    this.view.show(this.board);
    this.view.mark("held", change.kind === "grab" || change.kind === "move" ? [change.piece] : []);
    if (change.kind === "release" || change.kind === "rotate" || change.kind === "flip") void this.check(change.kind === "release" ? change.piece : null);
  }

  // The program knows the geometry; what was asked before the last change is out of date.
  private async check(piece: string | null): Promise<void> {
    const number = ++this.asked;
    const found = await this.server.ask<Checked>("POST", "check", { board: this.board, piece });
    if (number !== this.asked) return;
    this.board = found.board;
    this.view.show(this.board);
    this.tell(found);
  }

  private tell({ problems, left_out: out, symmetric, path }: Checked): void {
    this.outline.replaceChildren(...(path ? [drawGoal(path, "The figure")] : []));
    const good = problems.length === 0;
    this.save.disabled = !good;
    const lines = good ? [make("li", { class: "good" }, `This can be solved, and is ${symmetric ? "" : "not "}symmetric.`)] : problems.map((one) => make("li", { class: "figure-problem" }, one));
    if (good && out.length) lines.push(make("li", {}, `Left out: ${out.join(", ")}.`));
    this.told.replaceChildren(...lines);
  }

  private async keep(): Promise<void> {
    try {
      this.showKept(await this.server.ask<Kept[]>("POST", "goals", { name: this.name.value.trim(), board: this.board }));
      this.name.value = "";
    } catch (error) {
      this.told.replaceChildren(make("li", { class: "figure-problem" }, wordsOf(error)));
    }
  }

  private async anew(): Promise<void> {
    this.board = (await this.server.ask<Facts>("GET", "figures")).board;
    this.view.show(this.board);
    await this.check(null);
  }

  private showKept(goals: Kept[]): void {
    const row = (goal: Kept): HTMLElement => {
      const remove = make("button", { "type": "button", "class": "button quiet", "aria-label": `Delete ${goal.name}` }, "Delete");
      remove.addEventListener("click", () => void this.server.ask<Kept[]>("POST", "goals/delete", { name: goal.name }).then((left) => this.showKept(left)));
      return make("li", {}, drawGoal(goal.path, goal.name), make("span", {}, goal.name, make("small", {}, `${goal.pieces} pieces, ${goal.symmetric ? "symmetric" : "not symmetric"}`)), remove);
    };
    this.kept.replaceChildren(...(goals.length ? goals.map(row) : [make("li", { class: "chat-empty" }, "None yet.")]));
  }
}
