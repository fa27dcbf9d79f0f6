// A page of text with a button: instructions, breaks, and whatever else a study has to say.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { prose } from "../common/prose.ts";
import { flip, type Onset } from "../timing/frames.ts";
import { Watch } from "../timing/watch.ts";
import { plainTimes, RESULT_DATA, VERSION, type Result } from "./parts/result.ts";
import { appearance, pause, simulate, someOnset, someTime, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf } from "./parts/surroundings.ts";

const info = {
  name: "page",
  version: VERSION,
  parameters: {
    html: { type: ParameterType.HTML_STRING, default: undefined },
    button: { type: ParameterType.STRING, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;

export class PagePlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: TrialType<Info>): void {
    const { frames } = surroundingsOf(this.jsPsych);
    const watch = new Watch(frames);
    const next = button(trial.button);
    const text = make("article", { class: "prose", tabindex: -1 }, prose(trial.html));
    display.append(make("div", { class: "page" }, text, make("div", { class: "actions" }, next)));
    text.focus();
    void flip(frames, () => undefined).then((onset) => {
      onSingleClick(next, (event) => {
        next.disabled = true;
        this.jsPsych.finishTrial(resultOf(onset, event.timeStamp, watch.stop()));
      });
    });
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        return resultOf(onset, onset.onset + someTime(3000), []);
      },
      begin: (display) => this.trial(display, trial),
      act: async (display) => {
        const [next] = await appearance(display, ".actions .button");
        await pause(someTime(300));
        next!.click();
      },
    });
  }
}

function resultOf(onset: Onset, response: number, flags: Result["flags"]): Result {
  return { answer: {}, times: plainTimes(onset, response), flags };
}
