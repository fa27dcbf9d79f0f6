// A reference game as a step of a study: a group describes and chooses in one room; the step ends when the room does.

import { ParameterType, type JsPsych, type JsPsychPlugin, type TrialType } from "jspsych";
import { Choosing, type GameEnded } from "../room/choosing.ts";
import type { ShownPicture } from "../room/picture-grid.ts";
import { RESULT_DATA, VERSION } from "./parts/result.ts";
import { enterRoom, simulateRoom } from "./parts/room-step.ts";
import type { SimulationMode, SimulationOptions } from "./parts/simulating.ts";

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
    const pictures = trial.entities as ShownPicture[];
    enterRoom<GameEnded>(this.jsPsych, display, (settings) => new Choosing({ ...settings, pictures }));
  }

  simulate({ rounds }: TrialType<Info>, mode: SimulationMode, options: SimulationOptions, load?: () => void): void {
    const ended: GameEnded = { room: "simulated", outcome: "completed", rounds, right: rounds };
    simulateRoom(this.jsPsych, mode, options, load, ended, 20_000 * rounds);
  }
}
