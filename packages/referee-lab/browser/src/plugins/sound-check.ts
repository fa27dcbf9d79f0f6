// Before anything is to be heard: some tones, and the question how many they were. Nobody goes on who hears nothing, and the press allows the page to play what follows.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { prose } from "../common/prose.ts";
import { flip } from "../timing/frames.ts";
import { Watch } from "../timing/watch.ts";
import { playTones } from "./parts/reading.ts";
import { plainTimes, RESULT_DATA, VERSION } from "./parts/result.ts";
import { appearance, pause, simulate, someOnset, someTime, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf } from "./parts/surroundings.ts";

const info = {
  name: "sound-check",
  version: VERSION,
  parameters: {
    html: { type: ParameterType.HTML_STRING, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;

const FEWEST = 2;
const MOST = 5;

export class SoundCheckPlugin implements JsPsychPlugin<Info> {
  static info = info;
  private tones = 0;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: TrialType<Info>): void {
    const { frames, audio, say } = surroundingsOf(this.jsPsych);
    const watch = new Watch(frames);
    const play = button(say("sound_check_play"));
    const note = make("p", { class: "question", role: "status" });
    const numbers = Array.from({ length: MOST }, (_, i) => button(String(i + 1), "quiet"));
    const choices = make("div", { class: "choices", hidden: true }, ...numbers);
    const text = make("article", { class: "prose", tabindex: -1 }, prose(trial.html));
    display.append(make("div", { class: "page sound-check" }, text, make("div", { class: "choices" }, play), note, choices));
    text.focus();
    onSingleClick(play, () => {
      play.disabled = choices.hidden = true;
      note.textContent = say("listen");
      // Another number each time: nobody goes on by trying them all on one.
      this.tones = otherThan(this.tones);
      void playTones(audio, this.tones).then(() => {
        play.disabled = choices.hidden = false;
        play.textContent = say("play_again");
        note.textContent = say("sound_check_ask");
        numbers[0]!.focus();
      });
    });
    void flip(frames, () => undefined).then((onset) => {
      for (const [i, number] of numbers.entries()) {
        onSingleClick(number, (event) => {
          if (i + 1 === this.tones) return this.jsPsych.finishTrial({ answer: {}, times: plainTimes(onset, event.timeStamp), flags: watch.stop() });
          choices.hidden = true;
          note.textContent = say("sound_check_wrong");
          play.focus();
        });
      }
    });
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    simulate(this.jsPsych, mode, options, load, {
      data: () => {
        const onset = someOnset();
        return { answer: {}, times: plainTimes(onset, onset.onset + someTime(6000)), flags: [] };
      },
      begin: (display) => this.trial(display, trial),
      act: async (display) => {
        const [play] = await appearance(display, ".sound-check .button.primary");
        await pause(someTime(300));
        play!.click();
        const numbers = await appearance(display, ".sound-check .choices:not([hidden]) .quiet");
        await pause(someTime(300));
        numbers[this.tones - 1]!.click();
      },
    });
  }
}

function otherThan(before: number): number {
  const next = FEWEST + Math.floor(Math.random() * (MOST - FEWEST + 1));
  return next === before ? otherThan(before) : next;
}
