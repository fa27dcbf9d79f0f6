// A form of questions about the person or the study; what is optional may be left empty.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { prose } from "../common/prose.ts";
import { flip, type Onset } from "../timing/frames.ts";
import { Watch } from "../timing/watch.ts";
import { makeField, type FieldDescription } from "./parts/fields.ts";
import { plainTimes, RESULT_DATA, VERSION, type Result } from "./parts/result.ts";
import { appearance, pause, pick, simulate, someOnset, someTime, type, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf } from "./parts/surroundings.ts";

const info = {
  name: "form",
  version: VERSION,
  parameters: {
    html: { type: ParameterType.HTML_STRING, default: undefined },
    fields: { type: ParameterType.OBJECT, array: true, default: undefined },
    button: { type: ParameterType.STRING, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;

export class FormPlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: TrialType<Info>): void {
    const { frames, say } = surroundingsOf(this.jsPsych);
    const watch = new Watch(frames);
    const fields = (trial.fields as FieldDescription[]).map((field, i) => makeField(field, say, `field-${i}`));
    const next = button(trial.button);
    const note = make("p", { class: "question", role: "alert" });
    const text = make("article", { class: "prose", tabindex: -1 }, prose(trial.html));
    display.append(make("div", { class: "page form" }, text, ...fields.map((field) => field.node), note, make("div", { class: "actions" }, next)));
    text.focus();
    void flip(frames, () => undefined).then((onset) => {
      onSingleClick(next, (event) => {
        const open = fields.filter((field) => !field.complete());
        fields.forEach((field) => field.node.classList.toggle("open", open.includes(field)));
        note.textContent = open.length ? say("required") : "";
        if (open.length) {
          open[0]!.node.querySelector<HTMLElement>("input, textarea")?.focus();
          return;
        }
        next.disabled = true;
        this.jsPsych.finishTrial(resultOf(onset, event.timeStamp, Object.fromEntries(fields.map((f) => [f.name, f.value()])), watch.stop()));
      });
    });
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    const fields = trial.fields as FieldDescription[];
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        return resultOf(onset, onset.onset + someTime(8000), Object.fromEntries(fields.map((field) => [field.name, someValue(field)])), ["untrusted"]);
      },
      begin: (display) => this.trial(display, trial),
      act: async (display) => {
        const [next] = await appearance(display, ".actions .button");
        fields.forEach((field, i) => fill(display, field, `field-${i}`));
        await pause(someTime(300));
        next!.click();
      },
    });
  }
}

function someValue(field: FieldDescription): unknown {
  if (field.kind === "number") return 30;
  if (field.kind !== "choice" && field.kind !== "multi") return "simulated";
  const value = pick(field.choices ?? [""]);
  return field.kind === "multi" ? [value] : value;
}

function fill(display: HTMLElement, field: FieldDescription, id: string): void {
  if (field.kind === "choice" || field.kind === "multi") pick([...display.querySelectorAll<HTMLInputElement>(`input[name="${id}"]`)]).click();
  else type(display.querySelector<HTMLInputElement>(`#${id}`)!, String(someValue(field)));
}

function resultOf(onset: Onset, response: number, fields: Record<string, unknown>, flags: Result["flags"]): Result {
  return { answer: { fields }, times: plainTimes(onset, response), flags };
}
