// Finding what a description means in a photograph: click a point, draw a box, or choose a mark. What is sent are pixels of the picture, whatever it was enlarged to.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { make } from "../common/dom.ts";
import type { StringName } from "../common/strings.ts";
import type { Onset } from "../timing/frames.ts";
import type { Press } from "../timing/press.ts";
import { Watch } from "../timing/watch.ts";
import { decide, makeChoice, markChoice, onChoice, tellTimeout, type Decision } from "./parts/choosing.ts";
import { appear, Medium, type MediaDescription } from "./parts/media.ts";
import { Photograph, type Mark, type Photo, type Spot } from "./parts/photograph.ts";
import { hide } from "./parts/reading.ts";
import { flagsOf, merge, onsetTimes, RESULT_DATA, responseTimes, VERSION, type Result } from "./parts/result.ts";
import { appearance, pause, pick, pressOn, simulate, someOnset, somePress, someTime, startingWhenAsked, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf, type Surroundings } from "./parts/surroundings.ts";

const info = {
  name: "locate",
  version: VERSION,
  parameters: {
    text: { type: ParameterType.STRING, default: undefined },
    media: { type: ParameterType.OBJECT, default: null },
    media_repeats: { type: ParameterType.INT, default: null },
    language: { type: ParameterType.STRING, default: undefined },
    direction: { type: ParameterType.STRING, default: undefined },
    photo: { type: ParameterType.OBJECT, default: undefined },
    way: { type: ParameterType.STRING, default: undefined },
    marks: { type: ParameterType.OBJECT, array: true, default: undefined },
    choices: { type: ParameterType.STRING, array: true, default: undefined },
    best_guess: { type: ParameterType.BOOL, default: undefined },
    confirm: { type: ParameterType.BOOL, default: undefined },
    timeout_ms: { type: ParameterType.FLOAT, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;
export type LocateParameters = TrialType<Info>;
type Way = "point" | "box" | "mark";

const ASKED: Record<Way, StringName> = { point: "point_at", box: "draw_box", mark: "choose_mark" };
// "None" is what a hearer answers; a person who looks at a photograph says that they cannot see it.
const WORDS: Record<string, StringName> = { none: "absent" };

export class LocatePlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: LocateParameters): void {
    void new Location(display, trial, surroundingsOf(this.jsPsych)).run().then((result) => this.jsPsych.finishTrial(result));
  }

  simulate(trial: LocateParameters, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => someResult(trial),
      begin: (display) => this.trial(display, trial),
      act: (display) => startingWhenAsked(display, () => actAsPerson(display, trial)),
    });
  }
}

class Location {
  private readonly watch: Watch;
  private readonly photograph: Photograph;
  private readonly question: HTMLElement;
  private readonly choices: HTMLElement;
  private readonly panel: HTMLElement;
  private readonly place = make("div", { class: "trial", tabindex: -1 });
  private readonly medium: Medium | null;
  private readonly over = new AbortController();
  private spot: Spot | null = null;

  constructor(display: HTMLElement, private readonly trial: LocateParameters, private readonly around: Surroundings) {
    this.watch = new Watch(around.frames);
    this.photograph = new Photograph(trial.photo as Photo, trial.marks as Mark[], trial.way as Way, around.say);
    const description = make("p", { class: "description", lang: trial.language || null, dir: trial.direction, "aria-live": "polite" }, trial.text);
    this.medium = trial.media ? new Medium(trial.media as MediaDescription, around, this.place) : null;
    description.hidden = !trial.text;
    this.question = make("p", { class: "question", role: "status" }, around.say(ASKED[trial.way as Way]));
    this.choices = make("div", { class: "choices" }, ...trial.choices.map((name) => makeChoice(name, around.say(WORDS[name] ?? (name as StringName)))));
    this.panel = make("div", { class: `panel locate${this.medium ? ` with-${this.medium.media.kind}` : ""}` }, this.medium?.node, description, this.medium?.againButton(trial.media_repeats ?? 0, this.over.signal), this.photograph.node, this.question, this.choices);
    hide(this.panel);
    this.place.append(this.panel);
    display.append(this.place);
    this.place.focus({ preventScroll: true });
  }

  async run(): Promise<Result> {
    const onset = await appear(this.place, this.panel, this.medium, this.around);
    const decision = await this.decide(onset);
    this.over.abort();
    this.medium?.stop();
    if (decision.outcome === "timeout") {
      this.panel.inert = true;
      await tellTimeout(this.around, (words) => this.question.replaceChildren(words));
    }
    const spot = decision.entity || decision.outcome === this.trial.way ? this.spot : null;
    const guess = await this.guess(decision);
    return this.conclude(onset, decision, spot, guess);
  }

  private decide(onset: Onset): Promise<Decision> {
    const settling = this.trial.confirm ? make("div", { class: "choices" }) : null;
    if (settling) {
      hide(settling);
      this.panel.append(settling);
    }
    return decide({
      around: this.around, watch: this.watch, onset, settling,
      limit: this.trial.timeout_ms,
      listen: (heard, signal) => {
        this.photograph.onSpot((spot, press) => {
          this.spot = spot;
          heard(spot.mark ? "entity" : this.trial.way, spot.mark ?? null, press);
        }, signal);
        onChoice(this.choices, (name, press) => heard(name, null, press), signal);
      },
      mark: (decision) => {
        const placed = decision !== null && (decision.entity !== null || decision.outcome === this.trial.way);
        this.photograph.show(placed ? this.spot : null);
        markChoice(this.choices, decision?.outcome ?? null);
      },
    });
  }

  private guess(decision: Decision): Promise<Spot | null> {
    if (!this.trial.best_guess || !this.trial.choices.includes(decision.outcome)) return Promise.resolve(null);
    hide(this.choices);
    this.photograph.show(null);
    this.question.textContent = this.around.say("best_guess");
    return new Promise((resolve) => {
      const done = new AbortController();
      this.photograph.onGuess((spot) => {
        done.abort();
        resolve(spot);
      }, done.signal);
    });
  }

  private conclude(onset: Onset, decision: Decision, spot: Spot | null, guess: Spot | null): Result {
    const lost = this.around.failedPictures.has((this.trial.photo as Photo).picture);
    return {
      answer: { ...answerOf(decision, spot, guess, this.photograph.zooms), repeats: this.medium?.repeats ?? 0 },
      times: { ...timesOf(onset, decision.press, this.medium?.begun(onset)), ...this.medium?.times() },
      flags: merge(this.watch.stop(), flagsOf([onset], decision.press), this.medium?.flags() ?? [], lost ? ["preload-failed"] : []),
    };
  }
}

function answerOf({ outcome, entity, press, corrected }: Decision, spot: Spot | null, guess: Spot | null, zoom: number): Result["answer"] {
  const point = outcome === "point" ? spot : null;
  return {
    outcome, entity, x: point?.x ?? null, y: point?.y ?? null, box: outcome === "box" ? (spot?.box ?? null) : null,
    guess_x: guess?.x ?? null, guess_y: guess?.y ?? null, zoom, repeats: 0, corrected, pointer: press?.pointer ?? null, trusted: press?.trusted ?? null,
  };
}

function timesOf(onset: Onset, press: Press | null, heardFrom = onset.onset): Result["times"] {
  return { combined_ms: press ? press.time - heardFrom : null, text_onset: heardFrom, ...onsetTimes(onset), ...responseTimes(press) };
}

function someResult(trial: LocateParameters): Result {
  const onset = someOnset();
  const press = somePress(onset.onset + someTime(2500));
  const { width, height } = trial.photo as Photo;
  const marks = trial.marks as Mark[];
  const entity = trial.way === "mark" && marks.length ? pick(marks).id : null;
  const [x, y] = [Math.random() * width, Math.random() * height];
  const spot: Spot = { x, y, box: [x / 2, y / 2, x / 2 + width / 4, y / 2 + height / 4] };
  const decision = { outcome: entity ? "entity" : trial.way, entity, press, corrected: false, confirmed: null };
  return { answer: answerOf(decision, spot, null, 0), times: timesOf(onset, press), flags: ["untrusted"] };
}

async function actAsPerson(display: HTMLElement, trial: LocateParameters): Promise<void> {
  const [target] = await appearance(display, trial.way === "mark" ? ".photograph .mark" : ".photograph .sheet");
  await pause(someTime(600));
  if (trial.way === "mark") pressOn(target!);
  else dragOver(target!, trial.way === "box");
  if (!trial.confirm) return;
  const [confirm] = await appearance(display, ".choices .primary");
  await pause(someTime(400));
  pressOn(confirm!);
}

// A press somewhere in the picture, or a corner to corner movement.
function dragOver(sheet: HTMLElement, far: boolean): void {
  const { left, top, width, height } = sheet.getBoundingClientRect();
  const at = (share: number): PointerEventInit => ({
    bubbles: true, isPrimary: true, button: 0, pointerType: "mouse", clientX: left + share * (width || 1), clientY: top + share * (height || 1),
  });
  sheet.dispatchEvent(new PointerEvent("pointerdown", at(0.4)));
  if (far) sheet.dispatchEvent(new PointerEvent("pointermove", at(0.6)));
  sheet.dispatchEvent(new PointerEvent("pointerup", at(far ? 0.6 : 0.4)));
}
