// A person's page in a room, whatever is played there: the wire, the clocks, and what is said when somebody is lost. A game says what is on the stage.

import { clock } from "../common/clock.ts";
import { make, setText } from "../common/dom.ts";
import { showNote } from "./screens.ts";
import { Wire, type RoomEvent, type Status, type WireSettings } from "./wire.ts";
import type { Tell } from "./words.ts";

const RELOAD_MS = 2500;

export interface RoomPageSettings<Ended> {
  root: HTMLElement;
  tell: Tell;
  wire: WireSettings;
  finish: (ended: Ended) => void;
  reload: () => void;
}

export abstract class RoomPage<Ended, Settings extends RoomPageSettings<Ended>> {
  readonly wire: Wire;
  protected status: Status | null = null;
  protected readonly stage = make("div", { class: "room-stage" });
  protected readonly timer = make("span", { class: "room-timer", role: "timer" });
  protected readonly waited = make("span", { class: "room-timer", role: "timer" });
  protected abstract readonly hurryMs: number; // the clock is marked when so little time is left
  protected abstract readonly awayWord: "partner_away" | "choose_away";
  private readonly banner = make("p", { class: "room-banner", role: "alert", hidden: true });
  private connected = true;
  private away: number | null = null;
  private running = true;

  constructor(protected readonly settings: Settings) {
    const { root } = settings;
    root.classList.add("room");
    root.replaceChildren(this.banner, this.stage);
    this.wire = new Wire(settings.wire, {
      onStatus: (status, first) => this.takeStatus(status, first),
      onEvents: (events) => events.forEach((event) => this.hear(event)),
      onConnection: (connected) => this.noteConnection(connected),
      onRefusal: () => this.settings.reload(),
      onSignal: (signal) => this.takeSignal(signal),
    });
  }

  // Once everything is there that a game draws on.
  protected begin(): void {
    showNote(this.stage, this.settings.tell("moment"));
    this.wire.start();
    window.addEventListener("online", this.hurry);
    requestAnimationFrame(this.frame);
  }

  stop(): void {
    this.running = false;
    this.wire.stop();
    window.removeEventListener("online", this.hurry);
  }

  // -- what a game adds -------------------------------------------------------------------------------------------------

  protected abstract take(status: Status, first: boolean): void;
  protected abstract hear(event: RoomEvent): void;
  protected abstract draw(): void; // once a frame, after everything has been sent
  protected gather(): void {} // once a frame, before it is sent
  protected takeSignal(_signal: Record<string, unknown>): void {}

  // -- what is the same in all ------------------------------------------------------------------------------------------

  private readonly hurry = (): void => this.wire.hurry();

  private takeStatus(status: Status, first: boolean): void {
    this.status = status;
    const lost = status.partner.some((partner) => !partner.present && !partner.gone);
    this.away = lost ? (this.away ?? this.wire.serverNow()) : null;
    this.take(status, first);
    Object.assign(this.settings.root.dataset, { phase: status.phase, role: status.role });
  }

  private noteConnection(connected: boolean): void {
    this.connected = connected;
    this.settings.root.classList.toggle("cut-off", !connected);
  }

  protected reloadSoon(): void {
    setTimeout(() => this.settings.reload(), RELOAD_MS);
  }

  private readonly frame = (): void => {
    if (!this.running) return;
    this.gather();
    this.wire.flush();
    this.draw();
    if (this.status) this.tick(this.status);
    requestAnimationFrame(this.frame);
  };

  private tick(status: Status): void {
    const now = this.wire.serverNow();
    const passed = now - status.began_ms;
    if (status.phase === "waiting") {
      setText(this.waited, this.settings.tell("waited", { time: clock(passed) }));
      this.stage.classList.toggle("may-leave", passed >= status.wait_ms);
    } else if (status.phase === "playing") {
      setText(this.timer, clock(status.limit_ms - passed));
      this.timer.classList.toggle("hurry", status.limit_ms - passed < this.hurryMs);
    } else setText(this.timer, "");
    this.tellTrouble(status, now);
  }

  private tellTrouble(status: Status, now: number): void {
    const { tell } = this.settings;
    const left = this.away === null ? 0 : Math.max(0, Math.ceil((status.grace_ms - (now - this.away)) / 1000));
    const playing = status.phase === "playing" || status.phase === "between";
    const text = !this.connected ? tell("lost") : this.away !== null && playing ? tell(this.awayWord, { n: left }) : "";
    setText(this.banner, text);
    this.banner.hidden = text === "";
  }
}
