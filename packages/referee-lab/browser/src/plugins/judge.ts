// Judging descriptions: each on scales, or two against each other, with the scene in view.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { onPress, type Press } from "../timing/press.ts";
import { Watch } from "../timing/watch.ts";
import { appear, Medium, type MediaDescription } from "./parts/media.ts";
import { hide } from "./parts/reading.ts";
import { flagsOf, merge, plainTimes, RESULT_DATA, VERSION, type Result } from "./parts/result.ts";
import { makeScale, type ScaleDescription } from "./parts/scales.ts";
import { contextPicture, missingPictures, Scene, targetsOf, type Entity, type Grid } from "./parts/scene.ts";
import { appearance, pause, pick, pressOn, simulate, someOnset, someTime, startingWhenAsked, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf, type Surroundings } from "./parts/surroundings.ts";

const info = {
  name: "judge",
  version: VERSION,
  parameters: {
    text: { type: ParameterType.STRING, default: null },
    media: { type: ParameterType.OBJECT, default: null },
    media_repeats: { type: ParameterType.INT, default: null },
    language: { type: ParameterType.STRING, default: undefined },
    direction: { type: ParameterType.STRING, default: undefined },
    grid: { type: ParameterType.OBJECT, default: undefined },
    entities: { type: ParameterType.OBJECT, array: true, default: undefined },
    target: { type: ParameterType.STRING, default: null },
    targets: { type: ParameterType.STRING, array: true, default: [] },
    scales: { type: ParameterType.OBJECT, array: true, default: [] },
    question: { type: ParameterType.STRING, default: null },
    pairwise: { type: ParameterType.OBJECT, default: null },
    tie: { type: ParameterType.BOOL, default: null },
    ranked: { type: ParameterType.OBJECT, array: true, default: [] },
    context: { type: ParameterType.STRING, default: null },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;
type Parameters = TrialType<Info>;
interface Judgement {
  answer: Result["answer"];
  time: number;
  press: Press | null;
}

export class JudgePlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: Parameters): void {
    const around = surroundingsOf(this.jsPsych);
    const watch = new Watch(around.frames);
    const entities = trial.entities as Entity[];
    const scene = entities.length ? new Scene(trial.grid as Grid, entities, around.say, { pressable: false, targets: targetsOf(trial) }) : null;
    const place = make("div", { class: "trial", tabindex: -1 });
    const medium = trial.media ? new Medium(trial.media as MediaDescription, around, place) : null;
    const over = new AbortController();
    const panel = make("div", { class: `panel judge${medium ? ` with-${medium.media.kind}` : ""}` }, medium?.node, trial.context && contextPicture(trial.context, around.say), trial.text && description(trial, trial.text), medium?.againButton(trial.media_repeats ?? 0, over.signal), scene?.node);
    const judged = trial.pairwise ? compare(panel, trial, around) : trial.ranked?.length ? rank(panel, trial, around) : rate(panel, trial, around);
    hide(panel);
    place.append(panel);
    display.append(place);
    place.focus({ preventScroll: true });
    void appear(place, panel, medium, around).then(async (onset) => {
      const judgement = await judged;
      over.abort();
      medium?.stop();
      this.jsPsych.finishTrial({
        answer: medium ? { ...judgement.answer, repeats: medium.repeats } : judgement.answer,
        times: { ...plainTimes(onset, judgement.time), ...medium?.times() },
        flags: merge(watch.stop(), flagsOf([onset], judgement.press), medium?.flags() ?? [], missingPictures(entities, around)),
      });
    });
  }

  simulate(trial: Parameters, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        return { answer: someAnswer(trial), times: plainTimes(onset, onset.onset + someTime(5000)), flags: ["untrusted"] };
      },
      begin: (display) => this.trial(display, trial),
      act: (display) => startingWhenAsked(display, () => actAsPerson(display, trial)),
    });
  }
}

function description(trial: Parameters, text: string): HTMLElement {
  return make("p", { class: "description", lang: trial.language || null, dir: trial.direction }, text);
}

function rate(panel: HTMLElement, trial: Parameters, around: Surroundings): Promise<Judgement> {
  const scales = (trial.scales as ScaleDescription[]).map((scale, i) => makeScale(scale, `scale-${i}`, around.say));
  const next = button(around.say("continue"));
  next.disabled = true;
  if (trial.question) panel.append(make("p", { class: "question" }, trial.question));
  panel.append(...scales.map((scale) => scale.node), make("div", { class: "actions" }, next));
  panel.addEventListener("change", () => {
    next.disabled = scales.some((scale) => scale.value() === null);
  });
  return new Promise((resolve) => {
    onSingleClick(next, (event) => {
      next.disabled = true;
      resolve({ answer: { ratings: Object.fromEntries(scales.map((scale) => [scale.name, scale.value()])) }, time: event.timeStamp, press: null });
    });
  });
}

function compare(panel: HTMLElement, trial: Parameters, around: Surroundings): Promise<Judgement> {
  const { say } = around;
  const pair = trial.pairwise as { left: string; right: string };
  const sides = (["left", "right"] as const).map((side) =>
    make("button", { type: "button", class: "card", "data-choice": side }, make("span", { class: "card-name" }, say(side === "left" ? "left" : "right_side")), description(trial, pair[side])));
  const tie = trial.tie ? [make("button", { type: "button", class: "button quiet", "data-choice": "tie" }, say("tie"))] : [];
  panel.append(make("p", { class: "question" }, trial.question ?? ""), make("div", { class: "pair", dir: "ltr" }, ...sides), make("div", { class: "choices" }, ...tie));
  return new Promise((resolve) => {
    const done = new AbortController();
    for (const node of [...sides, ...tie]) {
      onPress(node, (press) => {
        done.abort();
        resolve({ answer: { choice: node.dataset.choice }, time: press.time, press });
      }, done.signal);
    }
  });
}

// Pressed in their order, the best first; a second press takes a number back.
function rank(panel: HTMLElement, trial: Parameters, around: Surroundings): Promise<Judgement> {
  const { say } = around;
  const order: HTMLElement[] = [];
  const cards = (trial.ranked as { id: string; text: string }[]).map(({ id, text }) =>
    make("button", { type: "button", class: "card ranked", "data-option": id, "aria-pressed": "false" }, make("span", { class: "rank" }), description(trial, text)));
  const next = button(say("continue"));
  const number = (): void => {
    for (const card of cards) {
      const place = order.indexOf(card) + 1;
      card.querySelector(".rank")!.textContent = place ? String(place) : "–";
      card.setAttribute("aria-pressed", String(place > 0));
    }
    next.disabled = order.length < cards.length;
  };
  for (const card of cards) {
    card.addEventListener("click", () => {
      const place = order.indexOf(card);
      if (place < 0) order.push(card);
      else order.splice(place, 1);
      number();
    });
  }
  number();
  panel.append(make("p", { class: "question" }, trial.question ?? ""), make("div", { class: "ranking" }, ...cards), make("div", { class: "actions" }, next));
  return new Promise((resolve) => {
    onSingleClick(next, (event) => {
      next.disabled = true;
      resolve({ answer: { ranking: order.map((card) => card.dataset.option) }, time: event.timeStamp, press: null });
    });
  });
}

function someAnswer(trial: Parameters): Result["answer"] {
  if (trial.pairwise) return { choice: pick(["left", "right", ...(trial.tie ? ["tie"] : [])]) };
  if (trial.ranked?.length) return { ranking: (trial.ranked as { id: string }[]).map(({ id }) => id).sort(() => Math.random() - 0.5) };
  const rating = (scale: ScaleDescription): number => scale.kind === "slider" ? Math.floor(Math.random() * scale.points) : 1 + Math.floor(Math.random() * scale.points);
  return { ratings: Object.fromEntries((trial.scales as ScaleDescription[]).map((scale) => [scale.name, rating(scale)])) };
}

async function actAsPerson(display: HTMLElement, trial: Parameters): Promise<void> {
  if (trial.pairwise) {
    const cards = await appearance(display, "[data-choice]");
    await pause(someTime(600));
    pressOn(pick(cards));
    return;
  }
  if (trial.ranked?.length) {
    for (const card of await appearance(display, ".ranked")) card.click();
    const [done] = await appearance(display, ".actions .button");
    await pause(someTime(600));
    done!.click();
    return;
  }
  const scales = await appearance(display, ".scale");
  for (const scale of scales) {
    const line = scale.querySelector<HTMLInputElement>("input[type=range]");
    if (line) line.dispatchEvent(new Event("input", { bubbles: true }));
    else pick([...scale.querySelectorAll<HTMLInputElement>("input")]).click();
  }
  const [next] = await appearance(display, ".actions .button");
  await pause(someTime(300));
  next!.click();
}
