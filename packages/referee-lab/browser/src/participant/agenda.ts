// What is still to be done: which steps remain after a reload, and as which attempt. Pure, so that every case can be tried.

import type { Letter, Underway } from "./outbox.ts";
import { INTERRUPTIBLE, type Plan, type Step, type TrialBody } from "./plan.ts";

export interface Agenda {
  steps: Step[];
  told: Map<string, unknown>; // answers to questions, by which branches go
  attempts: Map<number, number>;
}

export function interruptedBody(underway: Underway, now: number): TrialBody {
  return { index: underway.index, attempt: underway.attempt, state: "aborted", answer: {}, times: {}, flags: [], sent_ms: now };
}

function settled(plan: Plan, letters: readonly Letter[]): Set<number> {
  const kept = letters.filter((letter) => letter.body.state === "done" || plan.policy.aborted === "skip");
  return new Set([...plan.saved, ...kept.map((letter) => letter.body.index)]);
}

// Pages are shown again from the last answered step on; those before a step that was answered already are not.
function remaining(plan: Plan, done: ReadonlySet<number>): Step[] {
  const firstOpen = plan.steps.find((step) => step.saved && !done.has(step.index))?.index ?? Infinity;
  const lastBefore = Math.max(-1, ...[...done].filter((index) => index < firstOpen));
  const lastDone = Math.max(-1, ...done);
  return plan.steps.filter((step) => (step.saved ? !done.has(step.index) : step.index > lastBefore && step.index > lastDone));
}

export function planAgenda(plan: Plan, letters: readonly Letter[]): Agenda {
  const attempts = new Map(Object.entries(plan.attempts ?? {}).map(([index, n]) => [Number(index), n]));
  for (const { body } of letters) attempts.set(body.index, Math.max(attempts.get(body.index) ?? 1, body.attempt + 1));
  const told = new Map(Object.entries(plan.told ?? {}));
  for (const { body } of letters) hearTold(told, body.answer);
  return { steps: remaining(plan, settled(plan, letters)), attempts, told };
}

export function hearTold(told: Map<string, unknown>, answer: Record<string, unknown>): void {
  for (const [question, value] of Object.entries((answer.fields ?? {}) as Record<string, unknown>)) told.set(question, value);
}

// An answer left open leads nowhere.
export function isOnTheWay(step: Step, told: ReadonlyMap<string, unknown>): boolean {
  if (!step.only) return true;
  const value = told.get(step.only.question);
  const named = Array.isArray(value) ? value : [value];
  return named.some((one) => step.only!.answers.includes(String(one)));
}

const ROOMS = new Set(["tangram", "reference-game"]);

// In a room somebody waits: who comes back goes there at once, past the pages before it.
export function backToRoom(agenda: Agenda, underway: Underway | null | undefined): Agenda {
  const room = agenda.steps.find((step) => ROOMS.has(step.plugin) && step.index === underway?.index);
  return room ? { ...agenda, steps: agenda.steps.filter((step) => step.index >= room.index) } : agenda;
}

export function isInterruptible(step: Step): boolean {
  return step.saved && INTERRUPTIBLE.has(step.kind);
}
