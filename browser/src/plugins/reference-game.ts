// A reference game as a step of a study: a group describes and chooses in one room; the step ends when the room does.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { button, make, onSingleClick } from "../common/dom.ts";
import { Choosing, type GameEnded } from "../room/choosing.ts";
import type { ShownPicture } from "../room/picture-grid.ts";
import { visit } from "../room/visit.ts";
import { teller } from "../room/words.ts";
import { Watch } from "../timing/watch.ts";
import { RESULT_DATA, VERSION, type Result } from "./parts/result.ts";
import { appearance, pause, simulate, someTime, type SimulationMode, type SimulationOptions } from "./parts/simulating.ts";
import { surroundingsOf } from "./parts/surroundings.ts";

const info = {
  name: "reference-game",
  version: VERSION,
  parameters: {
    entities: { type: ParameterType.OBJECT, array: true, default: undefined },
    rounds: { type: ParameterType.INT, default: undefined },
  },
  data: RESULT_DATA,
} as const;

type Info = typeof info;

export class ReferenceGamePlugin implements JsPsychPlugin<Info> {
  static info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: TrialType<Info>): void {
    const { frames, say } = surroundingsOf(this.jsPsych);
    const watch = new Watch(frames);
    const began = performance.now();
    const root = make("div");
    display.replaceChildren(root);
    const game = new Choosing({
      root,
      tell: teller(say),
      pictures: trial.entities as ShownPicture[],
      wire: { address: (room) => visit.address(room), hello: () => visit.hello() },
      reload: () => location.reload(),
      finish: (ended) => {
        game.stop();
        root.remove();
        this.jsPsych.finishTrial(resultOf(ended, began, performance.now(), watch.stop()));
      },
    });
    visit.leave = () => game.stop();
  }

  simulate(trial: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    const ended = { room: "simulated", outcome: "completed", rounds: trial.rounds, right: trial.rounds };
    const began = performance.now();
    simulate(this.jsPsych, mode, options, load, {
      data: () => resultOf(ended, 0, someTime(20_000 * trial.rounds), []),
      begin: (display) => {
        const go = button("…");
        display.replaceChildren(make("div", { class: "actions" }, go));
        onSingleClick(go, () => this.jsPsych.finishTrial(resultOf(ended, began, performance.now(), [])));
      },
      act: async (display) => {
        const [go] = await appearance(display, ".actions .button");
        await pause(10);
        go!.click();
      },
    });
  }
}

function resultOf(ended: GameEnded, t_onset: number, t_response: number, flags: Result["flags"]): Result {
  return { answer: { ...ended }, times: { combined_ms: t_response - t_onset, t_onset, t_response }, flags };
}
