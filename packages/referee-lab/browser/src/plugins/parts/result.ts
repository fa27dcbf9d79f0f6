// What every plug-in hands back, in the form in which it is saved.

import { ParameterType } from "jspsych";
import { isLate, type Onset } from "../../timing/frames.ts";
import type { Press } from "../../timing/press.ts";
import type { Flag } from "../../timing/watch.ts";

export type Times = Record<string, number | number[] | null>;

export interface Result {
  answer: Record<string, unknown>;
  times: Times;
  flags: Flag[];
}

export const VERSION = "1.0.0";

// The data description that jsPsych 9 will demand; the fields of `answer` and `times` are in the protocol's codebook.
export const RESULT_DATA = {
  answer: { type: ParameterType.OBJECT },
  times: { type: ParameterType.OBJECT },
  flags: { type: ParameterType.STRING, array: true },
} as const;

export function onsetTimes(onset: Onset): Times {
  return { t_request: onset.request, t_frame: onset.frame, t_onset: onset.onset };
}

// For steps with one onset and one response.
export function plainTimes(onset: Onset, response: number): Times {
  return { combined_ms: response - onset.onset, ...onsetTimes(onset), t_response: response };
}

export function responseTimes(press: Press | null): Times {
  return { t_response: press?.time ?? null, t_handler: press?.handled ?? null };
}

export function flagsOf(onsets: readonly Onset[], press: Press | null): Flag[] {
  const flags: Flag[] = onsets.some(isLate) ? ["late-onset"] : [];
  return press && !press.trusted ? [...flags, "untrusted"] : flags;
}

export function merge(...lists: readonly (readonly Flag[])[]): Flag[] {
  return [...new Set(lists.flat())].sort();
}
