// A room as a step of a study: two people, or one with a bot, lay figures together; the step ends when the room does.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { Call } from "../room/call.ts";
import { Live, type Ended, type RoomSound } from "../room/room.ts";
import { visit } from "../room/visit.ts";
import { Voice } from "../room/voice.ts";
import type { Status, Wire } from "../room/wire.ts";
import { teller, type Tell } from "../room/words.ts";
import { RESULT_DATA, VERSION } from "./parts/result.ts";
import { enterRoom, simulateRoom } from "./parts/room-step.ts";
import type { SimulationMode, SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf } from "./parts/surroundings.ts";

const info = {
  name: "tangram",
  version: VERSION,
  parameters: {
    puzzles: { type: ParameterType.INT, default: undefined },
    chat: { type: ParameterType.BOOL, default: undefined },
    voice: { type: ParameterType.BOOL, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;

export class TangramPlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: TrialType<Info>): void {
    const sound = trial.voice ? new Sound(teller(surroundingsOf(this.jsPsych).say)) : null;
    const more = { chat: trial.chat, greet: (room: string) => sound?.greet(room) ?? null, sound };
    const enter = (): void => enterRoom<Ended>(this.jsPsych, display, (settings) => new Live({ ...settings, ...more }), () => sound?.stop());
    // Before the room, so that no clock runs and no partner waits while somebody reads the question.
    if (sound) void sound.ask(display).then(enter);
    else enter();
  }

  simulate({ puzzles }: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    const ended: Ended = { room: "simulated", outcome: "completed", puzzles, solved: puzzles };
    simulateRoom(this.jsPsych, mode, options, load, ended, 200_000);
  }
}

// The question whether one may be heard and recorded, asked once before the room; the answer stays visible in it.
class Sound implements RoomSound {
  private voice: Voice | null = null;
  private readonly note = make("p", { class: "voice-note", role: "status" });
  private room = "";
  private readonly calls = new Map<number, Call>(); // by the partner's seat
  private readonly heard = new Map<number, HTMLAudioElement>();

  constructor(private readonly tell: Tell) {}

  // Resolves when the person has answered; after a reload the answer stands.
  async ask(display: HTMLElement): Promise<void> {
    const answer = visit.microphone.get() ?? (await this.question(display));
    visit.microphone.set(answer);
    if (answer === "yes") this.voice = new Voice({ put: (piece) => visit.putSound(this.room, piece), first: visit.soundsBefore() });
    const isOpen = (await this.voice?.open()) ?? false;
    if (!isOpen) this.voice = null;
    this.note.textContent = this.tell(isOpen ? "voice_on" : "voice_off");
    this.note.classList.toggle("on", isOpen);
  }

  private question(display: HTMLElement): Promise<string> {
    const [yes, no] = [button(this.tell("voice_yes")), button(this.tell("voice_no"), "quiet")];
    const text = make("p", { class: "lead" }, this.tell("voice_ask"));
    const card = make("section", { class: "room-card voice", tabindex: -1 }, text, make("div", { class: "actions" }, no, yes));
    display.replaceChildren(card);
    card.focus();
    return new Promise((resolve) => {
      onSingleClick(no, () => resolve("no"));
      onSingleClick(yes, () => resolve("yes"));
    });
  }

  greet(room: string): HTMLElement {
    this.room = room;
    return make("section", { class: "voice" }, this.note);
  }

  // A call with every partner, once seats are fixed: in a waiting room they move up.
  enter(status: Status, wire: Wire): void {
    this.room = status.room;
    if (status.phase === "playing") this.voice?.record(status.puzzle);
    else this.voice?.pause();
    if (!status.ice || status.phase === "waiting") return;
    for (const [i, partner] of status.partner.entries()) {
      const seat = i < status.seat ? i : i + 1;
      if (partner.present && !partner.bot && !this.calls.has(seat)) this.ring(seat, status, wire);
    }
  }

  // Of two pages that both offer at once, the one with the higher seat gives way.
  private ring(seat: number, status: Status, wire: Wire): void {
    const call = new Call({
      servers: status.ice!,
      polite: status.seat > seat,
      signal: (signal) => wire.signal({ ...signal, to: seat }),
      measured: (facts) => void wire.send("call", { ...facts, partner: seat }),
      play: (stream) => this.play(seat, stream),
    });
    this.calls.set(seat, call);
    if (this.voice?.stream) call.speak(this.voice.stream);
  }

  private play(seat: number, stream: MediaStream): void {
    const audio = this.heard.get(seat) ?? make("audio", { class: "partner-sound", autoplay: true, "data-seat": seat });
    this.heard.set(seat, audio);
    audio.srcObject = stream;
    document.body.append(audio);
  }

  take(signal: Record<string, unknown>): void {
    const { from, ...message } = signal;
    void this.calls.get(Number(from))?.take(message);
  }

  stop(): void {
    this.voice?.stop();
    for (const call of this.calls.values()) call.stop();
    for (const audio of this.heard.values()) audio.remove();
  }
}
