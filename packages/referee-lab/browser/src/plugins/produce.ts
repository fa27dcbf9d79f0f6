// Describing the marked object in one's own words: what people typed, how often they took something back, and when they began.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { flip } from "../timing/frames.ts";
import { Watch } from "../timing/watch.ts";
import { hide, reveal } from "./parts/reading.ts";
import { flagsOf, merge, plainTimes, RESULT_DATA, VERSION } from "./parts/result.ts";
import { missingPictures, Scene, targetsOf, type Entity, type Grid } from "./parts/scene.ts";
import { appearance, pause, simulate, someOnset, someTime, type, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf } from "./parts/surroundings.ts";

const info = {
  name: "produce",
  version: VERSION,
  parameters: {
    prompt: { type: ParameterType.STRING, default: undefined },
    language: { type: ParameterType.STRING, default: undefined },
    direction: { type: ParameterType.STRING, default: undefined },
    grid: { type: ParameterType.OBJECT, default: undefined },
    entities: { type: ParameterType.OBJECT, array: true, default: undefined },
    target: { type: ParameterType.STRING, default: null },
    targets: { type: ParameterType.STRING, array: true, default: [] },
    shortest: { type: ParameterType.INT, default: undefined },
    longest: { type: ParameterType.INT, default: undefined },
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
    const scene = new Scene(trial.grid as Grid, entities, say, { pressable: false, targets: targetsOf(trial) });
    const field = makeField(trial, say("write_here"));
    const done = button(say("submit"));
    done.disabled = true;
    const note = make("p", { class: "question", role: "status" });
    const panel = make("div", { class: "panel" }, make("p", { class: "description" }, trial.prompt || say("describe")), scene.node, field, note, done);
    hide(panel);
    display.append(make("div", { class: "trial" }, panel));
    const typing = new Typing(field, (blocked) => {
      note.textContent = blocked ? say("paste_blocked") : "";
      done.disabled = Array.from(field.value.trim()).length < trial.shortest; // in code points, as the server counts
    });
    void flip(around.frames, () => reveal(panel)).then((onset) => {
      field.focus({ preventScroll: true });
      onSingleClick(done, (event) => {
        done.disabled = true;
        const answer = { text: field.value.trim(), edits: typing.edits, first_key_ms: typing.first === null ? null : typing.first - onset.onset };
        this.jsPsych.finishTrial({ answer, times: plainTimes(onset, event.timeStamp), flags: merge(watch.stop(), flagsOf([onset], null), missingPictures(entities, around)) });
      });
    });
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        const first = someTime(1200);
        return { answer: { text: someText(trial), edits: 0, first_key_ms: first }, times: plainTimes(onset, onset.onset + first + someTime(3000)), flags: ["untrusted"] };
      },
      begin: (display) => this.trial(display, trial),
      act: async (display) => {
        const [field] = await appearance(display, "textarea");
        type(field as HTMLTextAreaElement, someText(trial));
        const [done] = await appearance(display, ".panel > .button");
        await pause(someTime(400));
        done!.click();
      },
    });
  }
}

function someText(trial: TrialType<Info>): string {
  return "the marked one".slice(0, trial.longest).padEnd(trial.shortest, ".");
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
      if (event.inputType?.startsWith("delete")) this.edits += 1;
      heard(false);
    });
  }
}

function makeField(trial: TrialType<Info>, name: string): HTMLTextAreaElement {
  return make("textarea", {
    class: "field", rows: 2, maxlength: trial.longest, "aria-label": name, lang: trial.language || null, dir: trial.direction,
    spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off",
  });
}
