// Identification in replayed dialogue (Spanger et al. 2013): watch a clip, read the next utterance with the expression in red, say which piece is meant.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make } from "../dom.ts";
import { pieceNear } from "../tangram/board.ts";
import { Film, type FilmData } from "../tangram/film.ts";
import { captionAt } from "../tangram/player.ts";
import { Projector } from "../tangram/projector.ts";
import { flip, hold, type Onset } from "../timing/frames.ts";
import { isPressKey, onPress, type Pointer, type Press } from "../timing/press.ts";
import { Watch } from "../timing/watch.ts";
import { hide, reveal } from "./reading.ts";
import { flagsOf, merge, onsetTimes, RESULT_DATA, responseTimes, VERSION, type Result } from "./result.ts";
import { appearance, pause, pick, pressOn, simulate, someOnset, someTime, type SimulationMode, type SimulationOptions } from "./simulating.ts";
import { surroundingsOf, type Surroundings } from "./surroundings.ts";

const info = {
  name: "replay-identify",
  version: VERSION,
  parameters: {
    film: { type: ParameterType.OBJECT, default: undefined },
    text: { type: ParameterType.STRING, default: "" },
    span: { type: ParameterType.INT, array: true, default: [0, 0] },
    language: { type: ParameterType.STRING, default: "" },
    direction: { type: ParameterType.STRING, default: "ltr" },
    pieces: { type: ParameterType.OBJECT, default: undefined },
    choices: { type: ParameterType.STRING, array: true, default: [] },
    role: { type: ParameterType.STRING, default: "overhearer" },
    cursor: { type: ParameterType.BOOL, default: true },
    subtitles: { type: ParameterType.BOOL, default: true },
    confirm: { type: ParameterType.BOOL, default: true },
    speed: { type: ParameterType.FLOAT, default: 1 },
    timeout_ms: { type: ParameterType.FLOAT, default: 0 },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;
export type ReplayParameters = TrialType<Info>;

const FINGER_PX = 22;
const TIMEOUT_TOLD_MS = 1500;

interface Decision {
  outcome: string;
  piece: string | null;
  press: Press | null;
  corrected: boolean;
  confirmed: Press | null;
}

export class ReplayIdentifyPlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: ReplayParameters): void {
    void new Overhearing(display, trial, surroundingsOf(this.jsPsych)).run().then((result) => this.jsPsych.finishTrial(result));
  }

  simulate(trial: ReplayParameters, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => someResult(trial),
      begin: (display) => this.trial(display, trial),
      act: (display) => actAsPerson(display, trial),
    });
  }
}

class Overhearing {
  private readonly watch: Watch;
  private readonly film: Film;
  private readonly projector: Projector;
  private readonly operator: boolean;
  private readonly place: HTMLElement;
  private readonly start: HTMLButtonElement;
  private readonly left = make("span", { class: "replay-left", "aria-hidden": "true" });
  private readonly subtitle = make("p", { class: "caption" });
  private readonly utterance: HTMLElement;
  private readonly question: HTMLElement;
  private readonly answers: HTMLElement;
  private readonly settling: HTMLElement;
  private repeats = 0;
  private lastEnd = 0;

  constructor(display: HTMLElement, private readonly trial: ReplayParameters, private readonly around: Surroundings) {
    const { say } = around;
    this.watch = new Watch(around.frames);
    this.operator = trial.role === "operator";
    this.film = new Film(trial.film as FilmData);
    this.projector = new Projector(this.film, around.frames, say("working_area"), ({ time }) => this.follow(time));
    this.projector.speed = trial.speed ?? 1;
    this.projector.cursor = trial.cursor ?? true;
    this.start = button(say("watch"));
    this.utterance = make("p", { class: "description utterance", lang: trial.language || null, dir: trial.direction ?? "ltr", "aria-live": "polite" }, ...inRed(trial.text ?? "", trial.span as [number, number]));
    this.question = make("p", { class: "question", role: "status" }, say(this.operator ? "press_piece" : "which_piece"));
    this.answers = make("div", { class: "choices piece-choices" }, ...(this.operator ? [] : Object.keys(this.pieces).map((piece) => this.makeChoice(piece, piece))), ...(trial.choices as string[]).map((name) => this.makeChoice(name, say("i_dont_know"))));
    this.settling = make("div", { class: "choices" });
    this.place = this.layOut();
    display.append(this.place);
    [this.utterance, this.question, this.answers, this.settling].forEach(hide);
    this.place.focus();
  }

  async run(): Promise<Result> {
    const clip = await this.watchFirst();
    const onset = await flip(this.around.frames, () => {
      [this.utterance, this.question, this.answers].forEach(reveal);
      this.start.textContent = this.around.say("watch_again");
    });
    this.lastEnd = onset.onset;
    const decision = await this.decide(onset);
    if (decision.outcome === "timeout") await this.tellTimeout();
    return this.conclude(onset, clip, decision);
  }

  private get pieces(): Record<string, string> {
    return this.trial.pieces as Record<string, string>;
  }

  private layOut(): HTMLElement {
    const counter = this.around.place ? make("p", { class: "replay-counter" }, this.around.say("progress", { ...this.around.place })) : null;
    const stage = make("div", { class: `replay-stage${this.operator ? " plain-pieces" : ""}` }, this.projector.view.svg, this.trial.subtitles && this.subtitle);
    const bar = make("div", { class: "replay-bar" }, this.start, this.left, counter);
    return make("div", { class: "trial replay-trial", tabindex: -1 }, make("div", { class: "panel" }, stage, bar, this.utterance, this.question, this.answers, this.settling));
  }

  private makeChoice(value: string, label: string): HTMLElement {
    const piece = value in this.pieces;
    const node = button(label, "quiet");
    node.dataset.choice = value;
    if (piece) node.setAttribute("aria-label", this.around.say("piece", { n: value }));
    return node;
  }

  private follow(time: number): void {
    this.left.textContent = `${Math.ceil((this.film.end - time) / 1000)} s`;
    const line = captionAt(this.film.data.said, time);
    this.subtitle.replaceChildren(...(line ? [make("b", {}, `${this.around.say(line.by === "operator" ? "operator" : "solver")} `), line.text] : [" "]));
  }

  // -- watching --------------------------------------------------------------------------------------------------------------

  private async watchFirst(): Promise<number> {
    await new Promise<void>((resolve) => {
      const done = new AbortController();
      onPress(this.start, () => {
        done.abort();
        resolve();
      }, done.signal, true);
      this.start.focus();
    });
    this.start.disabled = true;
    const began = await flip(this.around.frames, () => undefined);
    const ended = await this.projector.playThrough();
    this.start.disabled = false;
    return ended - began.onset;
  }

  // While the clip is shown again nothing can be chosen; it may be stopped, which ends the replay as its end does.
  private watchAgain(): void {
    if (this.projector.playing) {
      this.projector.stop();
      return;
    }
    this.repeats += 1;
    this.setWatching(true);
    void this.projector.playThrough().then((frame) => {
      this.lastEnd = frame;
      this.setWatching(false);
    });
  }

  private setWatching(watching: boolean): void {
    this.start.textContent = this.around.say(watching ? "stop" : "watch_again");
    this.place.classList.toggle("watching", watching);
    this.answers.inert = watching;
    this.settling.inert = watching || this.settling.classList.contains("waiting");
  }

  // -- choosing --------------------------------------------------------------------------------------------------------------

  private decide(onset: Onset): Promise<Decision> {
    return new Promise((resolve) => {
      const done = new AbortController();
      const settle = (decision: Decision): void => {
        done.abort();
        this.watch.clearDeadline();
        this.projector.pause();
        resolve(decision);
      };
      const limit = this.trial.timeout_ms;
      if (limit) this.watch.setDeadline(onset.onset + limit, () => settle({ outcome: "timeout", piece: null, press: null, corrected: false, confirmed: null }));
      onPress(this.start, () => this.watchAgain(), done.signal, true);
      this.choose(settle, done.signal, onset);
    });
  }

  // The last choice counts, with its own time; that there was another one before is kept as `corrected`.
  private choose(settle: (decision: Decision) => void, signal: AbortSignal, onset: Onset): void {
    let chosen: Decision | null = null;
    let corrected = false;
    const mark = (decision: Decision | null): void => {
      chosen = decision;
      this.mark(decision);
      (decision ? reveal : hide)(this.settling);
    };
    const heard = (value: string, press: Press): void => {
      if (press.time < onset.onset || this.projector.playing) return;
      const piece = value in this.pieces ? value : null;
      const outcome = piece === null ? value : "entity";
      corrected ||= chosen !== null && (chosen.outcome !== outcome || chosen.piece !== piece);
      const decision = { outcome, piece, press, corrected, confirmed: null };
      if (this.trial.confirm) mark(decision);
      else settle(decision);
    };
    this.onAnswer(heard, signal);
    if (!this.trial.confirm) return;
    const [undo, confirm] = [button(this.around.say("undo"), "quiet"), button(this.around.say("confirm"))];
    this.settling.append(undo, confirm);
    onPress(undo, () => {
      corrected = true;
      mark(null);
    }, signal, true);
    onPress(confirm, (press) => {
      if (chosen) settle({ ...chosen, confirmed: press });
    }, signal, true);
  }

  private onAnswer(heard: (value: string, press: Press) => void, signal: AbortSignal): void {
    this.answers.querySelectorAll<HTMLElement>("[data-choice]").forEach((node) => onPress(node, (press) => heard(node.dataset.choice!, press), signal));
    if (this.operator) this.onBoard(heard, signal);
  }

  // The piece itself is pressed: fingers may miss it by a little, keys go from piece to piece.
  private onBoard(heard: (value: string, press: Press) => void, signal: AbortSignal): void {
    const { view } = this.projector;
    const { board } = this.film.at(this.film.end);
    const pressOf = (event: Event, pointer: Pointer): Press => ({ time: event.timeStamp, handled: performance.now(), pointer, trusted: event.isTrusted });
    view.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      const mouse = event.pointerType === "mouse";
      const { point, unitsPerPixel } = view.locate(event.clientX, event.clientY);
      const piece = pieceNear(board, point[0], point[1], mouse ? 0 : FINGER_PX * unitsPerPixel);
      if (piece !== null) heard(piece, pressOf(event, mouse ? "mouse" : event.pointerType === "pen" ? "pen" : "touch"));
    }, { signal });
    for (const piece of Object.keys(this.pieces)) {
      const group = view.group(piece);
      for (const [name, value] of [["tabindex", "0"], ["role", "button"], ["aria-label", this.around.say("piece", { n: piece })]] as const) group.setAttribute(name, value);
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        if (isPressKey(event)) heard(piece, pressOf(event, "keyboard"));
      }, { signal });
    }
  }

  private mark(decision: Decision | null): void {
    const value = decision && (decision.piece ?? decision.outcome);
    this.projector.view.mark("selected", this.operator ? [decision?.piece ?? null] : []);
    this.answers.querySelectorAll<HTMLElement>("[data-choice]").forEach((node) => {
      node.classList.toggle("chosen", node.dataset.choice === value);
      node.setAttribute("aria-pressed", String(node.dataset.choice === value));
    });
  }

  private async tellTimeout(): Promise<void> {
    this.answers.inert = true;
    const told = await flip(this.around.frames, () => this.question.replaceChildren(this.around.say("timeout")));
    await hold(this.around.frames, told.onset, TIMEOUT_TOLD_MS, this.around.frameInterval);
  }

  private conclude(onset: Onset, clip: number, decision: Decision): Result {
    return {
      answer: answerOf(decision, this.pieces, this.repeats),
      times: timesOf(onset, clip, this.lastEnd, decision),
      flags: merge(this.watch.stop(), flagsOf([onset], decision.press)),
    };
  }
}

// The expression in red, the rest as it is; text stays text.
export function inRed(text: string, [start, end]: readonly [number, number]): (Node | string)[] {
  return [text.slice(0, start), make("em", { class: "expression-in-red" }, text.slice(start, end)), text.slice(end)];
}

function answerOf({ outcome, piece, press, corrected }: Decision, pieces: Record<string, string>, repeats: number): Result["answer"] {
  return { outcome, entity: piece === null ? null : pieces[piece], repeats, corrected, pointer: press?.pointer ?? null, trusted: press?.trusted ?? null };
}

// Two clocks: from the onset of the utterance, and from the end of the last replay.
function timesOf(onset: Onset, clip: number, lastEnd: number, { press, confirmed }: Decision): Result["times"] {
  return {
    combined_ms: press && press.time - onset.onset,
    identification_ms: press && press.time - lastEnd,
    reading_ms: press && lastEnd - onset.onset,
    confirming_ms: press && confirmed && confirmed.time - press.time,
    clip_ms: clip,
    t_replay_end: lastEnd,
    text_onset: onset.onset,
    ...onsetTimes(onset),
    ...responseTimes(press),
  };
}

function someResult(trial: ReplayParameters): Result {
  const onset = someOnset();
  const { start_ms, end_ms } = trial.film as FilmData;
  const time = onset.onset + someTime(2500);
  const press: Press = { time, handled: time + 1, pointer: "mouse", trusted: false };
  const pieces = trial.pieces as Record<string, string>;
  const confirmed = trial.confirm ? { ...press, time: time + 600 } : null;
  const decision: Decision = { outcome: "entity", piece: pick(Object.keys(pieces)), press, corrected: false, confirmed };
  return { answer: answerOf(decision, pieces, 0), times: timesOf(onset, (end_ms - start_ms) / (trial.speed ?? 1), onset.onset, decision), flags: ["untrusted"] };
}

async function actAsPerson(display: HTMLElement, trial: ReplayParameters): Promise<void> {
  const [start] = await appearance(display, ".replay-bar .button");
  await pause(someTime(200));
  pressOn(start!);
  const shown = await appearance(display, trial.role === "operator" ? ".utterance:not(.waiting)" : ".piece-choices .button[data-choice]");
  await pause(someTime(600));
  if (trial.role === "operator") pressKey(pick([...display.querySelectorAll<SVGGElement>(".board-piece")]));
  else pressOn(pick(shown.slice(0, 7)));
  if (!trial.confirm) return;
  const [confirm] = await appearance(display, ".choices .primary");
  await pause(someTime(300));
  pressOn(confirm!);
}

function pressKey(node: Element): void {
  node.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}
