// Describing the marked object in one's own words, typed or spoken: the words or the recording, how often something was taken back, and when it began.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { flip } from "../timing/frames.ts";
import { Watch } from "../timing/watch.ts";
import { hide, reveal } from "./parts/reading.ts";
import { makeRecording } from "./parts/recording.ts";
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
    spoken: { type: ParameterType.BOOL, default: null },
    longest_s: { type: ParameterType.FLOAT, default: null },
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
    const field = trial.spoken ? null : makeField(trial, say("write_here"));
    const done = button(say("submit"));
    done.disabled = true;
    const note = make("p", { class: "question", role: "status" });
    const recording = trial.spoken ? makeRecording(trial.longest_s ?? 0, say, () => { done.disabled = recording?.value() === null; }) : null;
    const panel = make("div", { class: "panel" }, make("p", { class: "description" }, trial.prompt || say(recording ? "describe_aloud" : "describe")), scene.node, field ?? recording?.node, note, done);
    hide(panel);
    display.append(make("div", { class: "trial" }, panel));
    const typing = field && new Typing(field, (blocked) => {
      note.textContent = blocked ? say("paste_blocked") : "";
      done.disabled = Array.from(field.value.trim()).length < trial.shortest; // in code points, as the server counts
    });
    void flip(around.frames, () => reveal(panel)).then((onset) => {
      (field ?? recording?.node.querySelector("button"))?.focus({ preventScroll: true });
      onSingleClick(done, (event) => {
        done.disabled = true;
        recording?.close();
        const since = (time: number | null | undefined): number | null => (time == null ? null : time - onset.onset);
        const answer = recording
          ? { sound: recording.value(), recordings: recording.count(), first_sound_ms: since(recording.begun()) }
          : { text: field!.value.trim(), edits: typing!.edits, first_key_ms: since(typing!.first) };
        this.jsPsych.finishTrial({ answer, times: plainTimes(onset, event.timeStamp), flags: merge(watch.stop(), flagsOf([onset], null), missingPictures(entities, around)) });
      });
    });
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        const first = someTime(1200);
        const answer = trial.spoken ? { sound: SILENCE, recordings: 1, first_sound_ms: first } : { text: someText(trial), edits: 0, first_key_ms: first };
        return { answer, times: plainTimes(onset, onset.onset + first + someTime(3000)), flags: ["untrusted"] };
      },
      begin: (display) => this.trial(display, trial),
      act: async (display) => {
        if (trial.spoken) {
          (await appearance(display, ".recording .primary"))[0]!.click();
          const [stop] = await appearance(display, ".recording .danger:not([hidden])");
          await pause(someTime(700));
          stop!.click();
        } else {
          const [field] = await appearance(display, "textarea");
          type(field as HTMLTextAreaElement, someText(trial));
        }
        const [done] = await appearance(display, ".panel > .button");
        await pause(someTime(400));
        done!.click();
      },
    });
  }
}

// Two samples of a wave file.
const SILENCE = "data:audio/wav;base64,UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

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
