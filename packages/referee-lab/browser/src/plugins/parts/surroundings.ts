// What every plug-in needs to know about the page it runs in; handed over with jsPsych's settings, so that plug-ins hold no global state.

import type { JsPsych } from "jspsych";
import { speaker, type Say } from "../../common/strings.ts";
import type { Loaded } from "./media.ts";
import { screenFrames, SIXTY_HERTZ_MS, type Frames } from "../../timing/frames.ts";

export interface Surroundings {
  frames: Frames;
  frameInterval: number;
  failedPictures: ReadonlySet<string>;
  say: Say;
  audio: AudioContext | null;
  loaded: Map<string, Loaded>; // sounds and films, by address
  place?: { n: number; of: number };
}

export function plainSurroundings(): Surroundings {
  return { frames: screenFrames, frameInterval: SIXTY_HERTZ_MS, failedPictures: new Set(), say: speaker(), audio: null, loaded: new Map() };
}

export function surroundingsOf(jsPsych: JsPsych): Surroundings {
  const settings = jsPsych.getInitSettings() as { surroundings?: Surroundings };
  return settings.surroundings ?? plainSurroundings();
}
