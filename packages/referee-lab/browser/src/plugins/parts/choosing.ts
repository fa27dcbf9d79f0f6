// Choosing one of several things against the clock, at once or with a confirmation: what all identification has in common.

import { button } from "../../common/dom.ts";
import { flip, hold, type Onset } from "../../timing/frames.ts";
import { onPress, type Press } from "../../timing/press.ts";
import type { Watch } from "../../timing/watch.ts";
import { hide, reveal } from "./reading.ts";
import type { Result } from "./result.ts";
import type { Surroundings } from "./surroundings.ts";

const TIMEOUT_TOLD_MS = 1500;

export interface Decision {
  outcome: string; // "entity", "timeout", or the answer offered besides the objects
  entity: string | null;
  press: Press | null;
  corrected: boolean;
  confirmed: Press | null;
}

export const LATE: Decision = { outcome: "timeout", entity: null, press: null, corrected: false, confirmed: null };

// An answer: an object where `entity` says which, else the outcome by its name.
export type Heard = (outcome: string, entity: string | null, press: Press) => void;

export interface Choosing {
  around: Surroundings;
  watch: Watch;
  onset: Onset;
  limit: number; // in ms from the onset, 0 for none
  settling: HTMLElement | null; // where choices are confirmed; without it the first one counts
  listen: (heard: Heard, signal: AbortSignal) => void;
  mark: (decision: Decision | null) => void;
}

export function decide(choosing: Choosing): Promise<Decision> {
  const { watch, onset, limit, settling, listen } = choosing;
  return new Promise((resolve) => {
    const done = new AbortController();
    const settle = (decision: Decision): void => {
      done.abort();
      watch.clearDeadline();
      if (settling) hide(settling); // nothing is left to confirm, even where a guess is asked for next
      resolve(decision);
    };
    if (limit) watch.setDeadline(onset.onset + limit, () => settle(LATE));
    const take = settling ? confirming(choosing, settling, settle, done.signal) : settle;
    listen((outcome, entity, press) => {
      // What was pressed before the onset was meant for something else.
      if (press.time >= onset.onset) take({ outcome, entity, press, corrected: false, confirmed: null });
    }, done.signal);
  });
}

// The last choice counts, with its own time; that there was another one before is kept as `corrected`.
function confirming({ mark, around }: Choosing, settling: HTMLElement, settle: (decision: Decision) => void, signal: AbortSignal): (decision: Decision) => void {
  let chosen: Decision | null = null;
  let corrected = false;
  const show = (decision: Decision | null): void => {
    chosen = decision;
    mark(decision);
    (decision ? reveal : hide)(settling);
  };
  const [undo, confirm] = [button(around.say("undo"), "quiet"), button(around.say("confirm"))];
  settling.append(undo, confirm);
  onPress(undo, () => {
    corrected = true;
    show(null);
  }, signal, true);
  onPress(confirm, (press) => {
    if (chosen) settle({ ...chosen, confirmed: press });
  }, signal, true);
  return (decision) => {
    corrected ||= chosen !== null && (chosen.outcome !== decision.outcome || chosen.entity !== decision.entity);
    show({ ...decision, corrected });
  };
}

// The note stays long enough to be read.
export async function tellTimeout({ frames, frameInterval, say }: Surroundings, show: (words: string) => void): Promise<void> {
  const told = await flip(frames, () => show(say("timeout")));
  await hold(frames, told.onset, TIMEOUT_TOLD_MS, frameInterval);
}

export function makeChoice(value: string, label: string): HTMLElement {
  const node = button(label, "quiet");
  node.dataset.choice = value;
  return node;
}

export function onChoice(choices: HTMLElement, act: (value: string, press: Press) => void, signal: AbortSignal): void {
  for (const node of choicesIn(choices)) onPress(node, (press) => act(node.dataset.choice!, press), signal);
}

export function markChoice(choices: HTMLElement, value: string | null): void {
  for (const node of choicesIn(choices)) {
    node.classList.toggle("chosen", node.dataset.choice === value);
    node.setAttribute("aria-pressed", String(node.dataset.choice === value));
  }
}

function choicesIn(choices: HTMLElement): Iterable<HTMLElement> {
  return choices.querySelectorAll<HTMLElement>("[data-choice]");
}

export function answerOf({ outcome, entity, press, corrected }: Decision, repeats: number): Result["answer"] {
  return { outcome, entity, repeats, corrected, pointer: press?.pointer ?? null, trusted: press?.trusted ?? null };
}
