// A person in a room: waiting, playing in either role, between puzzles, and the end; drawn once a frame from what the server has said.

import { clock } from "../common/clock.ts";
import { button, make, onSingleClick } from "../common/dom.ts";
import { piecesOn, type Change } from "../tangram/board.ts";
import { hashOf } from "../tangram/board-hash.ts";
import { BoardView, drawGoal, drawHint } from "../tangram/board-view.ts";
import { Chat } from "./chat.ts";
import { LiveHand } from "./hand.ts";
import { showBetween, showNote, showOver, showWaiting } from "./screens.ts";
import { LiveTable } from "./table.ts";
import { Wire, type RoomEvent, type Status, type WireSettings } from "./wire.ts";
import { nameOf, type Tell } from "./words.ts";

const HURRY_MS = 60_000;
const HELP = { operator: "operator_help", solver: "solver_help", solo: "solo_help" } as const;
const POINTS_SHOWN = 2; // of a packet of the partner's cursor: as many as there are frames to the next one

export interface Ended {
  room: string;
  outcome: string;
  puzzles: number;
  solved: number;
}

export interface LiveSettings {
  root: HTMLElement;
  tell: Tell;
  wire: WireSettings;
  finish: (ended: Ended) => void;
  reload: () => void;
  greet?: (room: string) => Node | null; // what else belongs into the room: the question about sound
  chat: boolean;
  sound?: RoomSound | null;
}

// What speaks and listens beside the board.
export interface RoomSound {
  enter: (status: Status, wire: Wire) => void;
  turnTo: (puzzle: number) => void;
  take: (signal: Record<string, unknown>) => void;
}

export class Live {
  readonly wire: Wire;
  private status: Status | null = null;
  private table: LiveTable | null = null;
  private view: BoardView | null = null;
  private hand: LiveHand | null = null;
  private readonly chat: Chat;
  private readonly banner = make("p", { class: "room-banner", role: "alert", hidden: true });
  private readonly stage = make("div", { class: "room-stage" });
  private readonly timer = make("span", { class: "room-timer", role: "timer" });
  private readonly nearly = make("span", { class: "room-nearly", role: "status", hidden: true });
  private connected = true;
  private laidOut = "";
  private away: number | null = null;
  private played = 0;
  private running = true;

  constructor(private readonly settings: LiveSettings) {
    const { root, tell } = settings;
    root.classList.add("room");
    root.replaceChildren(this.banner, this.stage);
    this.chat = new Chat(tell, (said) => this.send("say", { ...said }), (typing) => this.send("typing", { typing }));
    this.wire = new Wire(settings.wire, {
      onStatus: (status, first) => this.take(status, first),
      onEvents: (events) => events.forEach((event) => this.hear(event)),
      onConnection: (connected) => this.noteConnection(connected),
      onRefusal: () => this.settings.reload(),
      onSignal: (signal) => this.settings.sound?.take(signal),
    });
    showNote(this.stage, tell("moment"));
    this.wire.start();
    window.addEventListener("online", this.hurry);
    requestAnimationFrame(this.frame);
  }

  stop(): void {
    this.running = false;
    this.hand?.stop();
    this.wire.stop();
    window.removeEventListener("online", this.hurry);
  }

  private readonly hurry = (): void => this.wire.hurry();

  private send(kind: string, data: Record<string, unknown>, t_client?: number): number {
    return this.wire.send(kind, data, t_client);
  }

  // -- what the server says ---------------------------------------------------------------------------------------------

  private take(status: Status, first: boolean): void {
    this.status = status;
    this.played = Math.max(this.played, status.phase === "playing" ? status.puzzle + 1 : 0);
    if (status.board && (first || !this.table)) {
      this.table ??= new LiveTable(status.board);
      this.table.reset(status.board, (seq) => this.wire.isOpen(seq));
    }
    this.settings.sound?.enter(status, this.wire);
    if (first) this.chat.show(status.chat.map(({ seat, text }) => ({ mine: seat === status.seat, text, by: this.playerAt(seat) })));
    this.away = status.partner.some((partner) => !partner.present) ? (this.away ?? this.wire.serverNow()) : null;
    this.layOut(status);
    this.tellNearly(status.phase === "playing" && status.nearly === true);
    this.settings.root.dataset.phase = status.phase;
    this.settings.root.dataset.role = status.role;
  }

  private hear(event: RoomEvent): void {
    if (this.table && !this.table.take(event)) this.wire.resync();
    if (event.kind === "say") this.chat.add(event.seat === this.status?.seat, String(event.data.text), this.playerAt(event.seat));
    else if (event.kind === "typing") this.chat.showTyping(event.data.typing === true);
    else if (event.kind === "cursor") this.trail = (event.data.points as [number, number, number][]).slice(-POINTS_SHOWN).map(([, x, y]) => [x, y]);
    else if (event.kind === "snapshot") this.tellNearly(event.data.nearly === true);
    else if (event.kind === "start") {
      this.tellNearly(false);
      this.settings.sound?.turnTo(this.status?.puzzle ?? 0);
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

  private noteConnection(connected: boolean): void {
    this.connected = connected;
    this.settings.root.classList.toggle("cut-off", !connected);
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
    if (status.phase === "waiting") return showWaiting(this.stage, tell, this.timer, () => this.wire.quit());
    if (status.phase === "between") return showBetween(this.stage, tell, status, this.pictureOfBoard(), () => this.ready());
    showOver(this.stage, tell, status, this.pictureOfBoard(), () => this.leave(status));
    if (status.outcome !== "completed") setTimeout(() => this.settings.reload(), 2500);
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

  private readonly frame = (): void => {
    if (!this.running) return;
    this.hand?.frame();
    this.wire.flush();
    this.draw();
    this.tick();
    requestAnimationFrame(this.frame);
  };

  private drawn: unknown = null;
  private hashed: unknown = null;
  private trail: [number, number][] = [];

  private draw(): void {
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

  private tick(): void {
    const { status } = this;
    if (!status) return;
    const now = this.wire.serverNow();
    const passed = now - status.began_ms;
    if (status.phase === "waiting") {
      setText(this.timer, this.settings.tell("waited", { time: clock(passed) }));
      this.stage.classList.toggle("may-leave", passed >= status.wait_ms);
    } else if (status.phase === "playing") {
      setText(this.timer, clock(status.limit_ms - passed));
      this.timer.classList.toggle("hurry", status.limit_ms - passed < HURRY_MS);
    }
    this.tellTrouble(status, now);
  }

  private tellTrouble(status: Status, now: number): void {
    const { tell } = this.settings;
    const left = this.away === null ? 0 : Math.max(0, Math.ceil((status.grace_ms - (now - this.away)) / 1000));
    const text = !this.connected ? tell("lost") : this.away !== null && status.phase !== "waiting" && status.phase !== "over" ? tell("partner_away", { n: left }) : "";
    setText(this.banner, text);
    this.banner.hidden = text === "";
  }
}

function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
