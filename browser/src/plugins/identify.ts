// Finding the object that a description means: description and scene together (ASGRE 2007), description first (TUNA 2008), or word by word.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make } from "../dom.ts";
import type { StringName } from "../strings.ts";
import { flip, hold, type Onset } from "../timing/frames.ts";
import { onPress, type Press } from "../timing/press.ts";
import { Watch } from "../timing/watch.ts";
import { fixate, hide, readWhole, readWords, reveal, veil, wordsOf, type Reading, type ReadingKind } from "./reading.ts";
import { flagsOf, merge, onsetTimes, RESULT_DATA, responseTimes, VERSION, type Result } from "./result.ts";
import { Scene, type Entity, type Grid } from "./scene.ts";
import { appearance, pause, pick, pressOn, simulate, someOnset, someTime, type SimulationMode, type SimulationOptions } from "./simulating.ts";
import { surroundingsOf, type Surroundings } from "./surroundings.ts";

const info = {
  name: "identify",
  version: VERSION,
  parameters: {
    text: { type: ParameterType.STRING, default: "" },
    language: { type: ParameterType.STRING, default: "" },
    direction: { type: ParameterType.STRING, default: "ltr" },
    reading: { type: ParameterType.STRING, default: "together" },
    regions: { type: ParameterType.STRING, array: true, default: [] },
    keep_text: { type: ParameterType.BOOL, default: false },
    fixation_ms: { type: ParameterType.FLOAT, default: 0 },
    bell: { type: ParameterType.BOOL, default: false },
    timeout_ms: { type: ParameterType.FLOAT, default: null },
    reading_timeout_ms: { type: ParameterType.FLOAT, default: 0 },
    grid: { type: ParameterType.OBJECT, default: { columns: 5, rows: 3 } },
    entities: { type: ParameterType.OBJECT, array: true, default: undefined },
    choices: { type: ParameterType.STRING, array: true, default: [] },
    best_guess: { type: ParameterType.BOOL, default: false },
    confirm: { type: ParameterType.BOOL, default: false },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;
export type IdentifyParameters = TrialType<Info>;

const TIMEOUT_TOLD_MS = 1500;

interface Decision {
  outcome: string;
  entity: string | null;
  press: Press | null;
  corrected: boolean;
}

export class IdentifyPlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: IdentifyParameters): void {
    void new Identification(display, trial, surroundingsOf(this.jsPsych)).run().then((result) => this.jsPsych.finishTrial(result));
  }

  simulate(trial: IdentifyParameters, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => someResult(trial),
      begin: (display) => this.trial(display, trial),
      act: (display) => actAsPerson(display, trial),
    });
  }
}

class Identification {
  private readonly watch: Watch;
  private readonly scene: Scene;
  private readonly place = make("div", { class: "trial", tabindex: -1 });
  private readonly description: HTMLElement;
  private readonly question: HTMLElement;
  private readonly choices: HTMLElement;
  private readonly panel: HTMLElement;
  private readonly reading: ReadingKind;

  constructor(display: HTMLElement, private readonly trial: IdentifyParameters, private readonly around: Surroundings) {
    this.watch = new Watch(around.frames);
    this.reading = trial.reading as ReadingKind;
    this.scene = new Scene(trial.grid as Grid, trial.entities as Entity[], around.say, { pressable: true });
    this.description = make("p", { class: "description", lang: trial.language || null, dir: trial.direction ?? "ltr", "aria-live": "polite" }, trial.text);
    this.question = make("p", { class: "question", role: "status" });
    this.choices = make("div", { class: "choices" }, ...(trial.choices as StringName[]).map((name) => this.makeChoice(name)));
    this.panel = make("div", { class: "panel" }, this.reading === "together" && this.description, this.scene.node, this.question, this.choices);
    hide(this.panel);
    this.place.append(this.panel);
    display.append(this.place);
    this.place.focus({ preventScroll: true });
  }

  async run(): Promise<Result> {
    if (this.trial.fixation_ms) await fixate(this.place, this.trial.fixation_ms, this.trial.bell ?? false, this.around);
    const reading = this.reading === "together" ? null : await this.readInTime();
    if (reading === "late") return this.concludeUnread();
    const onset = await flip(this.around.frames, () => reveal(this.panel));
    this.scene.node.focus({ preventScroll: true });
    const decision = await this.decide(onset);
    if (decision.outcome === "timeout") await this.tellTimeout();
    const guess = await this.guess(decision);
    return this.conclude(onset, reading, decision, guess);
  }

  // Who reads for too long does not get to see the scene.
  private readInTime(): Promise<Reading | "late"> {
    const limit = this.trial.reading_timeout_ms;
    if (!limit) return this.read();
    const late = new Promise<"late">((resolve) => this.watch.setDeadline(this.around.frames.now() + limit, () => resolve("late")));
    return Promise.race([this.read(), late]).finally(() => this.watch.clearDeadline());
  }

  private async concludeUnread(): Promise<Result> {
    const note = make("p", { class: "question", role: "status" }, this.around.say("timeout"));
    const told = await flip(this.around.frames, () => this.place.replaceChildren(note));
    await hold(this.around.frames, told.onset, TIMEOUT_TOLD_MS, this.around.frameInterval);
    const decision = { outcome: "timeout", entity: null, press: null, corrected: false };
    return { answer: answerOf(decision, null), times: {}, flags: this.watch.stop() };
  }

  private async read(): Promise<Reading> {
    const { say } = this.around;
    const byWord = this.reading === "words";
    const next = button(say(byWord ? "next" : "ready"));
    const page = make("div", { class: "reading" }, this.description, next);
    const words = byWord ? veil(this.description, this.trial.regions?.length ? this.trial.regions : wordsOf(this.trial.text ?? "")) : [];
    [this.description, next].forEach(hide);
    this.place.append(page);
    const reading = byWord
      ? await readWords(this.place, this.description, words, next, this.around)
      : await readWhole(this.place, this.description, next, this.around);
    page.remove();
    if (this.trial.keep_text) this.panel.prepend(make("p", { class: "description", lang: this.trial.language || null, dir: this.trial.direction ?? "ltr" }, this.trial.text));
    return reading;
  }

  private makeChoice(name: StringName): HTMLElement {
    const node = button(this.around.say(name), "quiet");
    node.dataset.choice = name;
    return node;
  }

  private decide(onset: Onset): Promise<Decision> {
    return new Promise((resolve) => {
      const done = new AbortController();
      const settle = (decision: Decision): void => {
        done.abort();
        this.watch.clearDeadline();
        resolve(decision);
      };
      const limit = this.trial.timeout_ms;
      if (limit) this.watch.setDeadline(onset.onset + limit, () => settle({ outcome: "timeout", entity: null, press: null, corrected: false }));
      if (this.trial.confirm) this.decideWithConfirmation(settle, done.signal, onset);
      else this.onAnswer((outcome, entity, press) => settle({ outcome, entity, press, corrected: false }), done.signal, onset);
    });
  }

  // The last choice counts, with its own time; that there was another one before is kept as `corrected`.
  private decideWithConfirmation(settle: (decision: Decision) => void, signal: AbortSignal, onset: Onset): void {
    const { say } = this.around;
    const [undo, confirm] = [button(say("undo"), "quiet"), button(say("confirm"))];
    const settling = make("div", { class: "choices" }, undo, confirm);
    hide(settling);
    this.panel.append(settling);
    let chosen: Decision | null = null;
    let corrected = false;
    const mark = (decision: Decision | null): void => {
      chosen = decision;
      this.scene.mark(decision?.entity ?? null);
      this.markChoice(decision?.outcome ?? "");
      (decision ? reveal : hide)(settling);
    };
    this.onAnswer((outcome, entity, press) => {
      corrected ||= chosen !== null && (chosen.outcome !== outcome || chosen.entity !== entity);
      mark({ outcome, entity, press, corrected });
    }, signal, onset);
    onPress(undo, () => {
      corrected = true;
      mark(null);
    }, signal, true);
    onPress(confirm, () => {
      if (chosen) settle(chosen);
    }, signal, true);
  }

  private async tellTimeout(): Promise<void> {
    this.panel.inert = true;
    const told = await flip(this.around.frames, () => this.question.replaceChildren(this.around.say("timeout")));
    await hold(this.around.frames, told.onset, TIMEOUT_TOLD_MS, this.around.frameInterval);
  }

  private markChoice(outcome: string): void {
    this.choices.querySelectorAll<HTMLElement>("[data-choice]").forEach((node) => {
      node.classList.toggle("chosen", node.dataset.choice === outcome);
    });
  }

  // What was pressed before the onset was meant for something else.
  private onAnswer(heard: (outcome: string, entity: string | null, press: Press) => void, signal: AbortSignal, onset: Onset): void {
    const act = (outcome: string, entity: string | null, press: Press): void => {
      if (press.time >= onset.onset) heard(outcome, entity, press);
    };
    this.scene.onChoice((id, press) => act("entity", id, press), signal);
    this.choices.querySelectorAll<HTMLElement>("[data-choice]").forEach((node) => {
      onPress(node, (press) => act(node.dataset.choice!, null, press), signal);
    });
  }

  private guess(decision: Decision): Promise<string | null> {
    const asked = this.trial.best_guess && !["entity", "timeout"].includes(decision.outcome);
    if (!asked) return Promise.resolve(null);
    hide(this.choices);
    this.scene.mark(null);
    this.question.textContent = this.around.say("best_guess");
    this.scene.node.focus({ preventScroll: true });
    return new Promise((resolve) => {
      const done = new AbortController();
      this.scene.onChoice((entity) => {
        done.abort();
        resolve(entity);
      }, done.signal);
    });
  }

  private conclude(onset: Onset, reading: Reading | null, decision: Decision, guess: string | null): Result {
    const onsets = [onset, ...(reading?.onsets ?? [])];
    const failed = (this.trial.entities as Entity[]).some((entity) => this.around.failedPictures.has(entity.picture));
    return {
      answer: answerOf(decision, guess),
      times: timesOf(onset, reading, decision.press, this.reading),
      flags: merge(this.watch.stop(), flagsOf(onsets, decision.press), failed ? ["preload-failed"] : []),
    };
  }
}

function answerOf(decision: Decision, guess: string | null): Result["answer"] {
  return {
    outcome: decision.outcome,
    entity: decision.entity,
    guess,
    repeats: 0,
    corrected: decision.corrected,
    pointer: decision.press?.pointer ?? null,
    trusted: decision.press?.trusted ?? null,
  };
}

export function timesOf(onset: Onset, reading: Reading | null, press: Press | null, kind: ReadingKind): Result["times"] {
  const textOnset = reading?.onsets[0]?.onset ?? onset.onset;
  const readUntil = reading?.presses.at(-1)?.time ?? null;
  const since = (start: number): number | null => (press ? press.time - start : null);
  return {
    reading_ms: readUntil === null ? null : readUntil - textOnset,
    identification_ms: kind === "together" ? null : since(onset.onset),
    combined_ms: since(textOnset),
    ...(kind === "words" && reading ? { regions_ms: reading.regions } : {}),
    text_onset: textOnset,
    ...onsetTimes(onset),
    ...responseTimes(press),
  };
}

function someResult(trial: IdentifyParameters): Result {
  const kind = trial.reading as ReadingKind;
  const pressAt = (time: number): Press => ({ time, handled: time + 1, pointer: "mouse", trusted: false });
  const text = someOnset();
  const words = kind === "words" ? wordsOf(trial.text ?? "") : ["all"];
  const reading: Reading = { onsets: [], presses: [], regions: [] };
  let now = text.onset;
  for (const _ of words) {
    reading.onsets.push({ request: now - 25, frame: now - 17, onset: now });
    now += someTime(kind === "words" ? 350 : 1500);
    reading.presses.push(pressAt(now));
    reading.regions.push(now - reading.onsets.at(-1)!.onset);
  }
  const onset = kind === "together" ? text : { request: now, frame: now + 8, onset: now + 25 };
  const press = pressAt(onset.onset + someTime(1500));
  const decision = { outcome: "entity", entity: pick(trial.entities as Entity[]).id, press, corrected: false };
  return { answer: answerOf(decision, null), times: timesOf(onset, kind === "together" ? null : reading, press, kind), flags: ["untrusted"] };
}

async function actAsPerson(display: HTMLElement, trial: IdentifyParameters): Promise<void> {
  const presses = trial.reading === "words" ? wordsOf(trial.text ?? "").length + 1 : trial.reading === "before" ? 1 : 0;
  for (let i = 0; i < presses; i++) {
    const [next] = await appearance(display, ".reading .button");
    await pause(someTime(200));
    pressOn(next!);
  }
  const objects = await appearance(display, ".scene .entity");
  await pause(someTime(600));
  pressOn(pick(objects));
  if (trial.confirm) {
    const [confirm] = await appearance(display, ".choices .primary");
    await pause(someTime(400));
    pressOn(confirm!);
  }
}
