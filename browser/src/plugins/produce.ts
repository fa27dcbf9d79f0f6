// Describing the marked object in one's own words: what people typed, how often they took something back, and when they began.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../dom.ts";
import { flip, type Onset } from "../timing/frames.ts";
import { Watch, type Flag } from "../timing/watch.ts";
import { hide, reveal } from "./reading.ts";
import { flagsOf, merge, onsetTimes, RESULT_DATA, VERSION, type Result } from "./result.ts";
import { Scene, type Entity, type Grid } from "./scene.ts";
import { appearance, pause, simulate, someOnset, someTime, type, type SimulationMode, type SimulationOptions } from "./simulating.ts";
import { surroundingsOf } from "./surroundings.ts";

const info = {
  name: "produce",
  version: VERSION,
  parameters: {
    question: { type: ParameterType.STRING, default: "" },
    language: { type: ParameterType.STRING, default: "" },
    direction: { type: ParameterType.STRING, default: "ltr" },
    grid: { type: ParameterType.OBJECT, default: { columns: 5, rows: 3 } },
    entities: { type: ParameterType.OBJECT, array: true, default: undefined },
    target: { type: ParameterType.STRING, default: undefined },
    maximum: { type: ParameterType.INT, default: 500 },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;

export class ProducePlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: TrialType<Info>): void {
    const around = surroundingsOf(this.jsPsych);
    const { say } = around;
    const watch = new Watch(around.frames);
    const entities = trial.entities as Entity[];
    const scene = new Scene(trial.grid as Grid, entities, say, { pressable: false, target: trial.target });
    const field = makeField(trial, say("write_here"));
    const done = button(say("submit"));
    done.disabled = true;
    const note = make("p", { class: "question", role: "status" });
    const panel = make("div", { class: "panel" }, make("p", { class: "description" }, trial.question || say("describe")), scene.node, field, note, done);
    hide(panel);
    display.append(make("div", { class: "trial" }, panel));
    const typing = new Typing(field, (blocked) => {
      note.textContent = blocked ? say("paste_blocked") : "";
      done.disabled = field.value.trim() === "";
    });
    const failed: Flag[] = entities.some((entity) => around.failedPictures.has(entity.picture)) ? ["preload-failed"] : [];
    void flip(around.frames, () => reveal(panel)).then((onset) => {
      field.focus();
      onSingleClick(done, (event) => {
        done.disabled = true;
        const answer = { text: field.value.trim(), edits: typing.edits, first_key_ms: typing.first === null ? null : typing.first - onset.onset };
        this.jsPsych.finishTrial({ answer, times: timesOf(onset, event.timeStamp), flags: merge(watch.stop(), flagsOf([onset], null), failed) });
      });
    });
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        const first = someTime(1200);
        return { answer: { text: "the marked one", edits: 0, first_key_ms: first }, times: timesOf(onset, onset.onset + first + someTime(3000)), flags: ["untrusted"] };
      },
      begin: (display) => this.trial(display, trial),
      act: async (display) => {
        const [field] = await appearance(display, "textarea");
        type(field as HTMLTextAreaElement, "the marked one");
        const [done] = await appearance(display, ".panel > .button");
        await pause(someTime(400));
        done!.click();
      },
    });
  }
}

class Typing {
  edits = 0;
  first: number | null = null;

  constructor(field: HTMLTextAreaElement, heard: (blocked: boolean) => void) {
    const block = (event: Event): void => {
      event.preventDefault();
      heard(true);
    };
    field.addEventListener("paste", block);
    field.addEventListener("drop", block);
    field.addEventListener("input", (event) => {
      this.first ??= event.timeStamp;
      if ((event as InputEvent).inputType?.startsWith("delete")) this.edits += 1;
      heard(false);
    });
  }
}

function makeField(trial: TrialType<Info>, name: string): HTMLTextAreaElement {
  return make("textarea", {
    class: "field", rows: 2, maxlength: trial.maximum ?? 500, "aria-label": name, lang: trial.language || null, dir: trial.direction ?? "ltr",
    spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off",
  });
}

function timesOf(onset: Onset, response: number): Result["times"] {
  return { combined_ms: response - onset.onset, ...onsetTimes(onset), t_response: response };
}
