// A person in a reference game: describing, or choosing alone, with everybody's words in one chat; drawn from what the server says of the round.

import { button, make, onSingleClick, setText } from "../common/dom.ts";
import { Chat } from "./chat.ts";
import { PictureGrid, type ShownPicture } from "./picture-grid.ts";
import { RoomPage, type RoomPageSettings } from "./room-page.ts";
import { showWaiting } from "./screens.ts";
import type { ChoiceRound, GroupMember, RoomEvent, Status } from "./wire.ts";

export interface GameEnded {
  room: string;
  outcome: string;
  rounds: number;
  right: number;
}

export interface ChoosingSettings extends RoomPageSettings<GameEnded> {
  pictures: readonly ShownPicture[];
}

export class Choosing extends RoomPage<GameEnded, ChoosingSettings> {
  protected readonly hurryMs = 30_000;
  protected readonly awayWord = "choose_away";
  private readonly chat: Chat;
  private readonly grid: PictureGrid;
  private readonly role = make("div", { class: "room-role" });
  private readonly facts = make("span");
  private readonly score = make("span");
  private readonly note = make("p", { class: "choice-note", role: "status" });
  private readonly players = make("ul", { class: "choice-players" });
  private readonly next = make("div", { class: "choice-next" });
  private readonly table: HTMLElement;
  private mine: { seq: number; round: number; object: string } | null = null; // a choice that is on its way
  private chatOf = -1;
  private nextFor = "";

  constructor(settings: ChoosingSettings) {
    super(settings);
    const { root, tell } = settings;
    root.classList.add("choosing");
    this.chat = new Chat((word, values) => tell(word === "typing" ? "choose_typing" : word, values), (said) => this.send("say", { ...said }), (typing) => this.send("typing", { typing }));
    this.grid = new PictureGrid(settings.pictures, tell, (object) => this.choose(object));
    const head = make("header", { class: "room-head" }, this.role, make("div", { class: "room-facts" }, this.score, this.facts, this.timer));
    const work = make("section", { class: "room-work" }, make("div", { class: "choice-say" }, this.note, this.next), this.grid.node);
    this.table = make("div", { class: "room-game" }, head, make("aside", { class: "room-side" }, this.players, this.chat.panel), work);
    this.begin();
  }

  private send(kind: string, data: Record<string, unknown>): number {
    const seq = this.wire.send(kind, data);
    this.wire.flush();
    return seq;
  }

  // -- what the server says ---------------------------------------------------------------------------------------------

  protected take(status: Status, first: boolean): void {
    if (this.mine && (status.phase !== "playing" || status.puzzle !== this.mine.round || status.game?.chosen)) this.mine = null;
    if (first || status.puzzle !== this.chatOf) this.chat.show(status.chat.map(({ seat, text }) => ({ mine: seat === status.seat, text, by: seat + 1 })));
    this.chatOf = status.puzzle;
    this.show(status);
    this.settings.root.dataset.round = String(status.puzzle);
  }

  protected hear(event: RoomEvent): void {
    if (event.kind === "say") this.hearWords(event);
    else if (event.kind === "typing") this.chat.showTyping(event.data.typing === true);
  }

  // The first words of the speaker open the choice; no status comes with them.
  private hearWords({ seat, data }: RoomEvent): void {
    const { status } = this;
    this.chat.add(seat === status?.seat, String(data.text), seat + 1);
    if (!status?.game || status.phase !== "playing" || this.everybody(status).find(({ role }) => role === "speaker")?.seat !== seat) return;
    this.status = { ...status, game: { ...status.game, spoken: true } };
    this.show(this.status);
  }

  private choose(object: string): void {
    const { status } = this;
    if (!status || !this.mayChoose(status)) return;
    const seq = this.send("choose", { object, round: status.puzzle });
    if (!seq) return;
    this.mine = { seq, round: status.puzzle, object };
    this.show(status);
  }

  private mayChoose({ phase, role, game }: Status): boolean {
    return phase === "playing" && role === "listener" && game?.spoken === true && !game.chosen && !this.mine;
  }

  // -- what is on the screen --------------------------------------------------------------------------------------------

  private show(status: Status): void {
    const { tell } = this.settings;
    if (status.phase === "waiting") {
      const words = { title: tell("choose_group"), text: tell("choose_group_text", { n: status.partner.length + 1, of: status.places ?? 0 }) };
      return showWaiting(this.stage, tell, this.waited, () => this.wire.quit(), words);
    }
    if (status.phase === "over") return this.showOver(status);
    if (!status.game) return;
    if (this.table.parentNode !== this.stage) this.stage.replaceChildren(this.table);
    this.showRound(status, status.game);
  }

  private showRound(status: Status, game: ChoiceRound): void {
    const { tell } = this.settings;
    const speaks = status.role === "speaker";
    this.table.className = `room-game as-${status.role}`;
    const word = speaks ? "choose_speaker" : "choose_listener";
    if (this.role.dataset.word !== word) this.role.replaceChildren(make("h1", {}, tell(word)), make("p", {}, tell(speaks ? "choose_speaker_help" : "choose_listener_help")));
    this.role.dataset.word = word;
    setText(this.facts, tell("choose_round", { n: status.puzzle + 1, of: status.puzzles }));
    setText(this.score, speaks ? "" : tell("choose_score", { n: status.solved }));
    const chosen = game.chosen ?? this.mine?.object ?? null;
    this.grid.show(game, { chosen, mayChoose: this.mayChoose(status), seat: status.seat });
    setText(this.note, this.noteOn(status, game));
    this.note.className = `choice-note ${this.mood(status, game)}`;
    this.players.replaceChildren(...this.everybody(status).map((player) => this.playerChip(status, player)));
    this.offerNext(status);
  }

  private noteOn(status: Status, game: ChoiceRound): string {
    const { tell } = this.settings;
    const speaker = { n: 1 + (this.everybody(status).find(({ role }) => role === "speaker")?.seat ?? 0) };
    if (game.feedback) return this.feedbackWords(status, game.feedback);
    if (status.role === "speaker") {
      const listeners = status.partner.filter(({ gone }) => !gone);
      const made = listeners.filter((player) => player.chosen).length;
      return game.spoken ? tell("choose_waiting", { n: made, of: listeners.length }) : tell("choose_describe");
    }
    if (game.chosen || this.mine) return tell("choose_made");
    return tell(game.spoken ? "choose_now" : "choose_wait", speaker);
  }

  private feedbackWords(status: Status, { ended, choices }: NonNullable<ChoiceRound["feedback"]>): string {
    const { tell } = this.settings;
    if (ended === "speaker-left") return tell("choose_void");
    if (status.role === "speaker") return tell("choose_all", { n: choices.filter(({ right }) => right).length, of: choices.length });
    const own = choices.find(({ seat }) => seat === status.seat);
    return tell(own?.right ? "choose_right" : own?.object ? "choose_wrong" : "choose_late");
  }

  private mood(status: Status, { feedback }: ChoiceRound): string {
    if (!feedback || feedback.ended === "speaker-left") return "";
    const told = status.role === "speaker" ? feedback.choices : feedback.choices.filter(({ seat }) => seat === status.seat);
    return told.length && told.every(({ right }) => right) ? "good" : "bad";
  }

  private everybody(status: Status): GroupMember[] {
    const me: GroupMember = { seat: status.seat, present: true, bot: false, ready: status.ready, gone: false, role: status.role, chosen: Boolean(status.game?.chosen) };
    return [...status.partner.map((partner) => partner as GroupMember), me].sort((a, b) => a.seat - b.seat);
  }

  private playerChip(status: Status, { seat, role, chosen, gone, present }: GroupMember): HTMLElement {
    const { tell } = this.settings;
    const name = seat === status.seat ? tell("me") : tell("player", { n: seat + 1 });
    const fact = gone ? tell("choose_left") : role === "speaker" ? tell("choose_speaks") : chosen ? tell("choose_chose") : "";
    const kind = gone ? "gone" : !present ? "away" : role === "speaker" ? "speaks" : chosen ? "chosen" : "";
    return make("li", { class: `choice-player ${kind}` }, make("b", {}, name), fact ? make("span", {}, fact) : null);
  }

  private offerNext(status: Status): void {
    const key = [status.phase, status.puzzle, status.ready].join("|");
    if (key === this.nextFor) return;
    this.nextFor = key;
    if (status.phase !== "between") return this.next.replaceChildren();
    if (status.ready) return this.next.replaceChildren(make("span", { class: "soft" }, this.settings.tell("choose_ready")));
    const last = status.puzzle + 1 >= status.puzzles;
    const go = button(this.settings.tell(last ? "done" : "choose_next"));
    onSingleClick(go, () => {
      go.disabled = true;
      this.send("ready", {});
    });
    this.next.replaceChildren(go);
  }

  private showOver(status: Status): void {
    const { tell } = this.settings;
    if (status.outcome !== "completed") {
      const word = status.outcome === "no-partner" ? "waiting" : "choose_ended";
      this.stage.replaceChildren(make("div", { class: "room-card left" }, make("h1", {}, tell(word)), make("p", {}, tell("left_paid"))));
      return this.reloadSoon();
    }
    const go = button(tell("done"));
    onSingleClick(go, () => {
      go.disabled = true;
      this.settings.finish({ room: status.room, outcome: "completed", rounds: status.puzzle + 1, right: status.solved });
    });
    this.stage.replaceChildren(make("div", { class: "room-card over" }, make("h1", {}, tell("choose_over")), make("p", {}, tell("choose_score", { n: status.solved })), make("div", { class: "actions" }, go)));
  }

  // -- once a frame -----------------------------------------------------------------------------------------------------

  protected draw(): void {
    const { status } = this;
    if (!status) return;
    // Acknowledged, and yet the round knows nothing of it: it came too late.
    if (this.mine && !this.wire.isOpen(this.mine.seq) && !status.game?.chosen) {
      this.mine = null;
      this.show(status);
    }
    this.settings.root.dataset.pending = String(this.wire.pending);
  }
}
