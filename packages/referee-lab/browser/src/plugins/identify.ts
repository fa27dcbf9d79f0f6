// Finding the object that a description means: description and scene together (ASGRE 2007), description first (TUNA 2008), or word by word.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make } from "../common/dom.ts";
import type { StringName } from "../common/strings.ts";
import { flip, type Onset } from "../timing/frames.ts";
import type { Pointer, Press } from "../timing/press.ts";
import { Watch } from "../timing/watch.ts";
import { answerOf, decide, makeChoice, markChoice, onChoice, tellTimeout, type Decision } from "./parts/choosing.ts";
import { allowPlaying, Medium, type MediaDescription } from "./parts/media.ts";
import { awaitStart, fixate, hear, hide, nothingRead, readWhole, readWords, reveal, veil, wordsOf, type Reading, type ReadingKind } from "./parts/reading.ts";
import { flagsOf, merge, onsetTimes, RESULT_DATA, responseTimes, VERSION, type Result } from "./parts/result.ts";
import { contextPicture, missingPictures, Scene, type Entity, type Grid } from "./parts/scene.ts";
import { appearance, pause, pick, pressOn, simulate, someOnset, somePress, someTime, startingWhenAsked, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf, type Surroundings } from "./parts/surroundings.ts";
import { Track, type Path } from "./parts/tracking.ts";

const info = {
  name: "identify",
  version: VERSION,
  parameters: {
    text: { type: ParameterType.STRING, default: undefined },
    media: { type: ParameterType.OBJECT, default: null },
    media_repeats: { type: ParameterType.INT, default: null },
    language: { type: ParameterType.STRING, default: undefined },
    direction: { type: ParameterType.STRING, default: undefined },
    reading: { type: ParameterType.STRING, default: undefined },
    start: { type: ParameterType.STRING, default: undefined },
    input: { type: ParameterType.STRING, default: undefined },
    track: { type: ParameterType.BOOL, default: undefined },
    fixation_ms: { type: ParameterType.FLOAT, default: undefined },
    bell: { type: ParameterType.BOOL, default: undefined },
    timeout_ms: { type: ParameterType.FLOAT, default: undefined },
    reading_timeout_ms: { type: ParameterType.FLOAT, default: null },
    grid: { type: ParameterType.OBJECT, default: undefined },
    entities: { type: ParameterType.OBJECT, array: true, default: undefined },
    choices: { type: ParameterType.STRING, array: true, default: undefined },
    best_guess: { type: ParameterType.BOOL, default: undefined },
    confirm: { type: ParameterType.BOOL, default: undefined },
    context: { type: ParameterType.STRING, default: null },
    question: { type: ParameterType.STRING, default: null },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;
export type IdentifyParameters = TrialType<Info>;

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
      act: (display) => startingWhenAsked(display, () => actAsPerson(display, trial)),
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
  private readonly medium: Medium | null;
  private readonly over = new AbortController();
  private unread = false;

  constructor(display: HTMLElement, private readonly trial: IdentifyParameters, private readonly around: Surroundings) {
    this.watch = new Watch(around.frames);
    this.reading = trial.reading as ReadingKind;
    this.medium = trial.media ? new Medium(trial.media as MediaDescription, around, this.place) : null;
    this.scene = new Scene(trial.grid as Grid, trial.entities as Entity[], around.say, { pressable: true });
    this.description = make("p", { class: "description", lang: trial.language || null, dir: trial.direction, "aria-live": "polite" }, trial.text);
    this.question = make("p", { class: "question", role: "status" }, trial.question);
    this.choices = make("div", { class: "choices" }, ...(trial.choices as StringName[]).map((name) => makeChoice(name, around.say(name))));
    if (!trial.text) this.description.hidden = true;
    const together = this.reading === "together";
    const again = together && this.medium?.againButton(trial.media_repeats ?? 0, this.over.signal);
    this.panel = make("div", { class: `panel${together && trial.media ? ` with-${(trial.media as MediaDescription).kind}` : ""}` }, together && this.medium?.node, trial.context && contextPicture(trial.context, around.say), together && this.description, trial.question && this.question, this.scene.node, !trial.question && this.question, this.choices, again);
    hide(this.panel);
    this.place.append(this.panel);
    display.append(this.place);
    this.place.focus({ preventScroll: true });
  }

  async run(): Promise<Result> {
    if (this.trial.start === "press") await awaitStart(this.place, this.around, this.only);
    if (this.medium) await allowPlaying(this.medium, this.place, this.around, this.only);
    if (this.trial.fixation_ms) await fixate(this.place, this.trial.fixation_ms, this.trial.bell, this.around);
    const reading = this.reading === "together" ? null : await this.readInTime();
    if (reading && !this.trial.entities.length) return this.concludeReading(reading);
    const onset = await this.showScene();
    this.scene.node.focus({ preventScroll: true });
    const track = this.trial.track ? new Track(this.scene, onset.onset) : null;
    const decision = await this.decide(onset);
    const path = track?.stop() ?? null;
    this.over.abort();
    this.medium?.stop();
    if (decision.outcome === "timeout") await this.tellTimeout();
    const guess = await this.guess(decision);
    return this.conclude(onset, reading, decision, guess, path);
  }

  // Where description and scene come together, what is heard begins with the scene.
  private showScene(): Promise<Onset> {
    const change = (): void => reveal(this.panel);
    if (!this.medium || this.reading !== "together") return flip(this.around.frames, change);
    const { medium } = this;
    const shown = medium.begin(change);
    void shown.then(() => medium.ended()).then(() => medium.offer());
    return shown;
  }

  private get only(): Pointer | null {
    return this.trial.input === "mouse" ? "mouse" : null;
  }

  // For who reads for too long the scene comes by itself: reading has no time then, identification still has one.
  private async readInTime(): Promise<Reading> {
    const reading = nothingRead();
    const over = new AbortController();
    const limit = this.trial.reading_timeout_ms;
    const late = new Promise<void>((resolve) => {
      if (limit) this.watch.setDeadline(this.around.frames.now() + limit, resolve);
    });
    await Promise.race([this.read(reading, over.signal), late.then(() => { this.unread = true; })]);
    over.abort();
    this.watch.clearDeadline();
    this.place.querySelector(".reading")?.remove();
    return reading;
  }

  private async read(reading: Reading, over: AbortSignal): Promise<void> {
    const { say } = this.around;
    const byWord = this.reading === "words";
    const next = button(say(byWord ? "next" : this.medium ? "continue" : "ready"));
    const page = make("div", { class: "reading" }, this.medium?.node, this.description, next);
    const words = byWord ? veil(this.description, wordsOf(this.trial.text)) : [];
    [this.description, next].forEach(hide);
    if (this.medium) hide(this.medium.node);
    this.place.append(page);
    const reader = { place: this.place, text: this.description, control: next, around: this.around, over, only: this.only };
    if (this.medium) return hear(reader, this.medium, this.trial.media_repeats ?? 0, reading);
    await (byWord ? readWords(reader, words, reading) : readWhole(reader, reading));
  }

  private decide(onset: Onset): Promise<Decision> {
    const { around, watch, trial } = this;
    return decide({
      around, watch, onset,
      limit: trial.timeout_ms,
      settling: trial.confirm ? this.makeSettling() : null,
      listen: (heard, signal) => {
        const counts = (press: Press): boolean => this.only === null || press.pointer === this.only;
        this.scene.onChoice((id, press) => counts(press) && heard("entity", id, press), signal);
        onChoice(this.choices, (name, press) => counts(press) && heard(name, null, press), signal);
      },
      mark: (decision) => {
        this.scene.mark(decision?.entity ?? null);
        markChoice(this.choices, decision?.outcome ?? null);
      },
    });
  }

  private tellTimeout(): Promise<void> {
    this.panel.inert = true;
    return tellTimeout(this.around, (words) => this.question.replaceChildren(words));
  }

  private makeSettling(): HTMLElement {
    const settling = make("div", { class: "choices" });
    hide(settling);
    this.panel.append(settling);
    return settling;
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

  // Nothing is asked: the trial ends with the last word.
  private concludeReading(reading: Reading): Result {
    const read = this.unread ? { ...reading, presses: [], regions: [] } : reading;
    const press = reading.presses.at(-1) ?? null;
    this.medium?.stop();
    return {
      answer: { ...answerOf({ outcome: "read", entity: null, press, corrected: false, confirmed: null }, this.medium?.repeats ?? 0), guess: null, ...(this.unread ? { reading_timeout: true } : {}) },
      times: { ...timesOf(reading.onsets.at(-1)!, read, press, this.reading, null, this.medium), identification_ms: null },
      flags: merge(this.watch.stop(), flagsOf(reading.onsets, press), this.medium?.flags() ?? []),
    };
  }

  private conclude(onset: Onset, reading: Reading | null, decision: Decision, guess: string | null, path: Path | null): Result {
    const onsets = [onset, ...(reading?.onsets ?? [])];
    const { medium } = this;
    const from = this.reading === "together" && medium ? medium.begun(onset) : null;
    return {
      answer: { ...answerOf(decision, medium?.repeats ?? 0), guess, ...(this.unread ? { reading_timeout: true } : {}), ...path },
      times: timesOf(onset, this.unread && reading ? { ...reading, presses: [], regions: [] } : reading, decision.press, this.reading, from, medium),
      flags: merge(this.watch.stop(), flagsOf(onsets, decision.press), medium?.flags() ?? [], missingPictures(this.trial.entities as Entity[], this.around)),
    };
  }
}

export function timesOf(
  onset: Onset, reading: Reading | null, press: Press | null, kind: ReadingKind, heardFrom: number | null = null, medium: Pick<Medium, "times"> | null = null,
): Result["times"] {
  const textOnset = heardFrom ?? reading?.onsets[0]?.onset ?? onset.onset;
  const readUntil = reading?.presses.at(-1)?.time ?? null;
  const since = (start: number): number | null => (press ? press.time - start : null);
  return {
    reading_ms: readUntil === null ? null : readUntil - textOnset,
    identification_ms: kind === "together" ? null : since(onset.onset),
    combined_ms: since(textOnset),
    ...(kind === "words" && reading?.presses.length ? { regions_ms: reading.regions } : {}),
    text_onset: textOnset,
    ...onsetTimes(onset),
    ...responseTimes(press),
    ...medium?.times(),
  };
}

function someResult(trial: IdentifyParameters): Result {
  const kind = trial.reading as ReadingKind;
  const text = someOnset();
  const words = kind === "words" ? wordsOf(trial.text) : ["all"];
  const reading: Reading = { onsets: [], presses: [], regions: [] };
  let now = text.onset;
  for (const _ of words) {
    reading.onsets.push({ request: now - 25, frame: now - 17, onset: now });
    now += someTime(kind === "words" ? 350 : 1500);
    reading.presses.push(somePress(now));
    reading.regions.push(now - reading.onsets.at(-1)!.onset);
  }
  const onset = kind === "together" ? text : { request: now, frame: now + 8, onset: now + 25 };
  const press = somePress(onset.onset + someTime(1500));
  const only = kind !== "together" && !trial.entities.length;
  const decision = { outcome: only ? "read" : "entity", entity: only ? null : pick(trial.entities as Entity[]).id, press, corrected: false, confirmed: null };
  return { answer: { ...answerOf(decision, 0), guess: null }, times: timesOf(onset, kind === "together" ? null : reading, press, kind, null, trial.media ? { times: () => someHearing(text.onset) } : null), flags: ["untrusted"] };
}

function someHearing(onset: number): Result["times"] {
  return { media_onset: onset, media_onset_error_ms: 0, media_ms: someTime(1500) };
}

async function actAsPerson(display: HTMLElement, trial: IdentifyParameters): Promise<void> {
  const presses = trial.reading === "words" ? wordsOf(trial.text).length + 1 : trial.reading === "before" ? 1 : 0;
  for (let i = 0; i < presses; i++) {
    const [next] = await appearance(display, ".reading .button.primary");
    await pause(someTime(200));
    pressOn(next!);
  }
  if (presses && !trial.entities.length) return;
  const objects = await appearance(display, ".scene .entity");
  await pause(someTime(600));
  pressOn(pick(objects));
  if (trial.confirm) {
    const [confirm] = await appearance(display, ".choices .primary");
    await pause(someTime(400));
    pressOn(confirm!);
  }
}
