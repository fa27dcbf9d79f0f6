// A person in a room: waiting, playing in either role, between puzzles, and the end; drawn once a frame from what the server has said.

import { button, make, onSingleClick, setText } from "../common/dom.ts";
import { piecesOn, type Change } from "../tangram/board.ts";
import { hashOf } from "../tangram/board-hash.ts";
import { BoardView, drawGoal, drawHint } from "../tangram/board-view.ts";
import { Chat } from "./chat.ts";
import { LiveHand } from "./hand.ts";
import { RoomPage, type RoomPageSettings } from "./room-page.ts";
import { showBetween, showOver, showWaiting } from "./screens.ts";
import { LiveTable } from "./table.ts";
import type { RoomEvent, Status, Wire } from "./wire.ts";
import { nameOf } from "./words.ts";

const HELP = { operator: "operator_help", solver: "solver_help", solo: "solo_help" } as const;
const POINTS_SHOWN = 2; // of a packet of the partner's cursor: as many as there are frames to the next one

export interface Ended {
  room: string;
  outcome: string;
  puzzles: number;
  solved: number;
}

export interface LiveSettings extends RoomPageSettings<Ended> {
  greet?: (room: string) => Node | null; // what else belongs into the room: whether the microphone is recorded
  chat: boolean;
  sound?: RoomSound | null;
}

// What speaks and listens beside the board.
export interface RoomSound {
  enter: (status: Status, wire: Wire) => void;
  take: (signal: Record<string, unknown>) => void;
}

export class Live extends RoomPage<Ended, LiveSettings> {
  protected readonly hurryMs = 60_000;
  protected readonly awayWord = "partner_away";
  private table: LiveTable | null = null;
  private view: BoardView | null = null;
  private hand: LiveHand | null = null;
  private readonly chat: Chat;
  private readonly nearly = make("span", { class: "room-nearly", role: "status", hidden: true });
  private laidOut = "";
  private played = 0;

  constructor(settings: LiveSettings) {
    super(settings);
    this.chat = new Chat(settings.tell, (said) => this.send("say", { ...said }), (typing) => this.send("typing", { typing }));
    this.begin();
  }

  override stop(): void {
    this.hand?.stop();
    super.stop();
  }

  private send(kind: string, data: Record<string, unknown>, t_client?: number): number {
    return this.wire.send(kind, data, t_client);
  }

  // -- what the server says ---------------------------------------------------------------------------------------------

  protected take(status: Status, first: boolean): void {
    this.played = Math.max(this.played, status.phase === "playing" ? status.puzzle + 1 : 0);
    if (status.board && (first || !this.table)) {
      this.table ??= new LiveTable(status.board);
      this.table.reset(status.board, (seq) => this.wire.isOpen(seq));
    }
    this.settings.sound?.enter(status, this.wire);
    if (first) this.chat.show(status.chat.map(({ seat, text }) => ({ mine: seat === status.seat, text, by: this.playerAt(seat) })));
    this.layOut(status);
    this.tellNearly(status.phase === "playing" && status.nearly === true);
  }

  protected override takeSignal(signal: Record<string, unknown>): void {
    this.settings.sound?.take(signal);
  }

  protected hear(event: RoomEvent): void {
    if (this.table && !this.table.take(event)) this.wire.resync();
    if (event.kind === "say") this.chat.add(event.seat === this.status?.seat, String(event.data.text), this.playerAt(event.seat));
    else if (event.kind === "typing") this.chat.showTyping(event.data.typing === true);
    else if (event.kind === "cursor") this.trail = (event.data.points as [number, number, number][]).slice(-POINTS_SHOWN).map(([, x, y]) => [x, y]);
    else if (event.kind === "snapshot") this.tellNearly(event.data.nearly === true);
    else if (event.kind === "start") {
      this.tellNearly(false);
      this.trail = [];
      this.view?.setCursor(null);
    }
  }

  private playerAt(seat: number): number | null {
    return (this.status?.partner.length ?? 0) > 1 ? seat + 1 : null;
  }

  private tellNearly(nearly: boolean): void {
    setText(this.nearly, nearly ? this.settings.tell("nearly") : "");
    this.nearly.hidden = !nearly;
  }

  // -- what is on the screen --------------------------------------------------------------------------------------------

  private layOut(status: Status): void {
    const key = [status.phase, status.began_ms, status.role, JSON.stringify(status.hint ?? null), status.ready, status.partner.length, status.outcome].join("|");
    if (key === this.laidOut) return;
    this.laidOut = key;
    const { tell } = this.settings;
    if (status.phase === "playing") return this.layOutGame(status);
    this.hand?.stop();
    this.hand = null;
    if (status.phase === "waiting") return showWaiting(this.stage, tell, this.waited, () => this.wire.quit());
    if (status.phase === "between") return showBetween(this.stage, tell, status, this.pictureOfBoard(), () => this.ready());
    showOver(this.stage, tell, status, this.pictureOfBoard(), () => this.leave(status));
    if (status.outcome !== "completed") this.reloadSoon();
  }

  private ready(): void {
    this.send("ready", {});
    this.wire.flush();
  }

  private leave(status: Status): void {
    this.settings.finish({ room: status.room, outcome: status.outcome ?? "completed", puzzles: Math.max(this.played, status.puzzle + 1), solved: status.solved });
  }

  private pictureOfBoard(): SVGSVGElement | null {
    if (!this.table) return null;
    const view = new BoardView(this.table.agreed.area, { label: this.settings.tell("board"), pieces: piecesOn(this.table.agreed) });
    view.show(this.table.agreed);
    return view.svg;
  }

  private layOutGame(status: Status): void {
    const { tell } = this.settings;
    const handles = status.role !== "solver";
    const board = status.board!;
    this.table ??= new LiveTable(board);
    this.hand?.stop();
    const selected = this.hand?.selected ?? null;
    const view = (this.view = new BoardView(board.area, { label: tell("board"), pieces: piecesOn(board) }));
    this.hand = handles ? this.makeHand(view) : null;
    if (selected && this.hand) this.hand.choose(selected);
    const alone = status.role === "solo";
    const word = alone ? "solo" : handles ? "operator" : "solver";
    const head = make("header", { class: "room-head" },
      make("div", { class: "room-role" }, make("h1", {}, tell(word)), make("p", {}, tell(HELP[word]))),
      make("div", { class: "room-facts" }, this.nearly, make("span", {}, tell("puzzle", { n: status.puzzle + 1, of: status.puzzles })), this.timer));
    const table = make("div", { class: "room-table" }, view.svg);
    const work = make("section", { class: "room-work" }, table, this.hand && this.makeTools());
    const side = make("aside", { class: "room-side" }, status.goal ? this.makeGoal(status) : null, this.settings.greet?.(status.room), !alone && this.settings.chat && this.chat.panel, alone && this.makeExit());
    this.stage.replaceChildren(make("div", { class: `room-game as-${word}${status.goal ? " with-goal" : ""}` }, head, side, work));
    this.chat.scrollToEnd();
    this.draw();
  }

  private makeGoal(status: Status): HTMLElement {
    const { tell } = this.settings;
    const drawing = drawGoal(status.goal!, tell("goal"));
    if (status.hint) drawing.append(drawHint(status.hint.piece, status.hint));
    const note = status.hint ? make("p", { class: "goal-note" }, tell("hint")) : null;
    return make("section", { class: "goal-panel" }, make("h2", { class: "panel-title" }, tell("goal")), drawing, note);
  }

  private makeTools(): HTMLElement {
    const { tell } = this.settings;
    const tool = (sign: string, label: string, act: () => void): HTMLElement => {
      const made = make("button", { type: "button", class: "button quiet tool" }, make("span", { class: "tool-sign", "aria-hidden": "true" }, sign), make("span", {}, label));
      made.addEventListener("click", act);
      return made;
    };
    return make("div", { class: "room-tools", role: "toolbar" },
      tool("↺", tell("turn_left"), () => this.hand?.rotate(-1)), tool("↻", tell("turn_right"), () => this.hand?.rotate(1)), tool("⇋", tell("flip"), () => this.hand?.flip()));
  }

  private makeExit(): HTMLElement {
    const leave = button(this.settings.tell("end_practice"));
    onSingleClick(leave, () => this.wire.quit());
    return make("div", { class: "actions" }, leave);
  }

  private makeHand(view: BoardView): LiveHand {
    return new LiveHand({
      view,
      board: () => this.table!.board,
      act: (change) => this.act(change),
      move: (points) => this.wire.point(points),
      select: (piece) => {
        view.mark("selected", [piece]);
        if (piece) view.svg.setAttribute("aria-label", `${this.settings.tell("board")}: ${nameOf(this.settings.tell, piece)}`);
      },
    });
  }

  private act(change: Change): void {
    if (this.status?.phase !== "playing" || !this.table) return;
    const { kind, ...data } = change;
    const seq = this.send(kind, data);
    if (seq) this.table.do(seq, change);
    if (kind === "grab") this.view?.mark("held", [change.piece]);
    else if (kind === "release") this.view?.mark("held", []);
  }

  // -- once a frame -----------------------------------------------------------------------------------------------------

  private drawn: unknown = null;
  private hashed: unknown = null;
  private trail: [number, number][] = [];

  protected override gather(): void {
    this.hand?.frame();
  }

  protected draw(): void {
    if (!this.table || !this.view) return;
    const pointed = this.trail.shift(); // one a frame, as they were taken
    if (pointed) this.view.setCursor(pointed);
    const { board, agreed } = this.table;
    if (this.drawn !== board || !this.view.svg.dataset.drawn) this.view.show(board);
    this.view.svg.dataset.drawn = "yes";
    this.drawn = board;
    const { dataset } = this.settings.root;
    dataset.seq = String(this.wire.last);
    dataset.pending = String(Math.max(this.wire.pending, Number(!this.table.isSettled))); // acknowledged is not yet agreed
    if (this.hashed !== agreed) dataset.hash = hashOf(agreed);
    this.hashed = agreed;
  }
}
