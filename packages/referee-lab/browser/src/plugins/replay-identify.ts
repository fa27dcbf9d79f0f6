// Identification in replayed dialogue (Spanger et al. 2013): watch a clip, read the next utterance with the expression in red, say which piece is meant.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make } from "../common/dom.ts";
import { pieceNear } from "../tangram/board.ts";
import { Film, type FilmData } from "../replay/film.ts";
import { captionAt } from "../replay/player.ts";
import { Projector } from "../replay/projector.ts";
import { flip, type Onset } from "../timing/frames.ts";
import { isPressKey, onPress, pointerOf, pressOf, type Press } from "../timing/press.ts";
import { Watch } from "../timing/watch.ts";
import { answerOf, decide, makeChoice, markChoice, onChoice, tellTimeout, type Decision, type Heard } from "./parts/choosing.ts";
import { hide, reveal } from "./parts/reading.ts";
import { flagsOf, merge, onsetTimes, RESULT_DATA, responseTimes, VERSION, type Result } from "./parts/result.ts";
import { appearance, pause, pick, pressOn, simulate, someOnset, somePress, someTime, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf, type Surroundings } from "./parts/surroundings.ts";

const info = {
  name: "replay-identify",
  version: VERSION,
  parameters: {
    film: { type: ParameterType.OBJECT, default: undefined },
    text: { type: ParameterType.STRING, default: undefined },
    span: { type: ParameterType.INT, array: true, default: undefined },
    language: { type: ParameterType.STRING, default: undefined },
    direction: { type: ParameterType.STRING, default: undefined },
    pieces: { type: ParameterType.OBJECT, default: undefined },
    choices: { type: ParameterType.STRING, array: true, default: undefined },
    role: { type: ParameterType.STRING, default: undefined },
    cursor: { type: ParameterType.BOOL, default: undefined },
    subtitles: { type: ParameterType.BOOL, default: undefined },
    confirm: { type: ParameterType.BOOL, default: undefined },
    speed: { type: ParameterType.FLOAT, default: undefined },
    timeout_ms: { type: ParameterType.FLOAT, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;
export type ReplayParameters = TrialType<Info>;

const FINGER_PX = 22;

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
    this.projector.speed = trial.speed;
    this.projector.cursor = trial.cursor;
    this.start = button(say("watch"));
    this.utterance = make("p", { class: "description utterance", lang: trial.language || null, dir: trial.direction, "aria-live": "polite" }, ...inRed(trial.text, trial.span as [number, number]));
    this.question = make("p", { class: "question", role: "status" }, say(this.operator ? "press_piece" : "which_piece"));
    this.answers = make("div", { class: "choices piece-choices" }, ...(this.operator ? [] : Object.keys(this.pieces).map((piece) => this.makePieceChoice(piece))), ...trial.choices.map((name) => makeChoice(name, say("i_dont_know"))));
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
    this.projector.pause();
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
    return make("div", { class: "trial replay-trial", tabindex: -1 }, make("div", { class: "panel" }, stage, this.projector.voices.node, bar, this.utterance, this.question, this.answers, this.settling));
  }

  private makePieceChoice(piece: string): HTMLElement {
    const node = makeChoice(piece, piece);
    node.setAttribute("aria-label", this.around.say("piece", { n: piece }));
    return node;
  }

  private follow(time: number): void {
    this.left.textContent = `${Math.ceil((this.film.end - time) / 1000)} s`;
    const line = captionAt(this.film.data.said, time);
    this.subtitle.replaceChildren(...(line ? [make("b", {}, `${line.by === "operator" || line.by === "solver" ? this.around.say(line.by) : `${line.by}:`} `), line.text] : [" "]));
  }

  // -- watching --------------------------------------------------------------------------------------------------------------

  private async watchFirst(): Promise<number> {
    if (this.projector.voices.any) await this.loadVoices();
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

  // Nothing is fetched while the clip is shown.
  private async loadVoices(): Promise<void> {
    this.start.disabled = true;
    await this.projector.voices.ready();
    this.start.disabled = false;
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
    const { around, watch, trial } = this;
    return decide({
      around, watch, onset,
      limit: trial.timeout_ms,
      settling: trial.confirm ? this.settling : null,
      listen: (heard, signal) => this.listen(heard, signal),
      mark: (decision) => this.mark(decision),
    });
  }

  private listen(heard: Heard, signal: AbortSignal): void {
    const unlessPlaying: Heard = (...answer) => {
      if (!this.projector.playing) heard(...answer);
    };
    onPress(this.start, () => this.watchAgain(), signal, true);
    onChoice(this.answers, (value, press) => (value in this.pieces ? unlessPlaying("entity", value, press) : unlessPlaying(value, null, press)), signal);
    if (this.operator) this.onBoard((piece, press) => unlessPlaying("entity", piece, press), signal);
  }

  // The piece itself is pressed: fingers may miss it by a little, keys go from piece to piece.
  private onBoard(heard: (piece: string, press: Press) => void, signal: AbortSignal): void {
    const { view } = this.projector;
    const { board } = this.film.at(this.film.end);
    view.svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      const pointer = pointerOf(event);
      const { point, unitsPerPixel } = view.locate(event.clientX, event.clientY);
      const piece = pieceNear(board, point[0], point[1], pointer === "mouse" ? 0 : FINGER_PX * unitsPerPixel);
      if (piece !== null) heard(piece, pressOf(event, pointer));
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
    this.projector.view.mark("selected", this.operator ? [decision?.entity ?? null] : []);
    markChoice(this.answers, decision && (decision.entity ?? decision.outcome));
  }

  private tellTimeout(): Promise<void> {
    this.answers.inert = true;
    return tellTimeout(this.around, (words) => this.question.replaceChildren(words));
  }

  private conclude(onset: Onset, clip: number, decision: Decision): Result {
    return {
      answer: answerOf(labelled(decision, this.pieces), this.repeats),
      times: timesOf(onset, clip, this.lastEnd, decision),
      flags: merge(this.watch.stop(), flagsOf([onset], decision.press)),
    };
  }
}

// The expression in red, the rest as it is; text stays text.
export function inRed(text: string, [start, end]: readonly [number, number]): (Node | string)[] {
  return [text.slice(0, start), make("em", { class: "expression-in-red" }, text.slice(start, end)), text.slice(end)];
}

// Pieces are chosen by their number and answered by their label.
function labelled(decision: Decision, pieces: Record<string, string>): Decision {
  return { ...decision, entity: decision.entity === null ? null : pieces[decision.entity]! };
}

// Two clocks: from the onset of the utterance, and from the end of the last replay.
function timesOf(onset: Onset, clip: number, lastEnd: number, { press, confirmed }: Decision): Result["times"] {
  const since = (start: number): number | null => (press ? press.time - start : null);
  return {
    combined_ms: since(onset.onset),
    identification_ms: since(lastEnd),
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
  const press = somePress(time);
  const pieces = trial.pieces as Record<string, string>;
  const confirmed = trial.confirm ? { ...press, time: time + 600 } : null;
  const decision: Decision = { outcome: "entity", entity: pick(Object.keys(pieces)), press, corrected: false, confirmed };
  return { answer: answerOf(labelled(decision, pieces), 0), times: timesOf(onset, (end_ms - start_ms) / trial.speed, onset.onset, decision), flags: ["untrusted"] };
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
