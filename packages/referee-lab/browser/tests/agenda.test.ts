import assert from "node:assert/strict";
import { test } from "node:test";
import { interruptedBody, isOnTheWay, planAgenda } from "../src/participant/agenda.ts";
import { letterOf } from "../src/participant/outbox.ts";
import type { Plan, Step, TrialBody } from "../src/participant/plan.ts";

// instructions, practice, ready, trial, trial, break, trial, form, thanks
const KINDS: [string, boolean][] = [["page", false], ["practice", true], ["page", false], ["trial", true], ["trial", true], ["break", false], ["trial", true], ["form", true], ["page", false]];
const steps: Step[] = KINDS.map(([kind, saved], index) => ({ index, kind, plugin: "page", saved, parameters: {} }));

function plan(saved: number[], aborted: "again" | "skip" = "again", attempts: Record<string, number> = {}): Plan {
  return { study: { id: "s", title: "", language: "en", direction: "ltr", mode: "debug" }, alias: "P-1", position: 0, saved, attempts, policy: { unsaved_limit: 3, aborted, resume: "resume", feedback: false }, pictures: [], strings: {}, steps };
}
const letter = (index: number, state: "done" | "aborted", attempt = 1) => letterOf("P-1", null, { index, attempt, state, answer: {}, times: {}, flags: [], sent_ms: 0 } satisfies TrialBody);
const indexes = (p: Plan, ...letters: ReturnType<typeof letter>[]): number[] => planAgenda(p, letters).steps.map((step) => step.index);

test("who comes for the first time does everything", () => {
  assert.deepEqual(indexes(plan([])), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test("who comes back goes on after the last answer, with the pages in between", () => {
  assert.deepEqual(indexes(plan([1])), [2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(indexes(plan([1, 3, 4])), [5, 6, 7, 8]);
});

test("answers that lie in the box count as given", () => {
  assert.deepEqual(indexes(plan([1, 3]), letter(4, "done")), [5, 6, 7, 8]);
});

test("an interrupted trial comes again as the next attempt, or is skipped where the study says so", () => {
  assert.deepEqual(indexes(plan([1]), letter(3, "aborted")), [2, 3, 4, 5, 6, 7, 8]);
  assert.equal(planAgenda(plan([1]), [letter(3, "aborted")]).attempts.get(3), 2);
  assert.deepEqual(indexes(plan([1], "skip"), letter(3, "aborted")), [4, 5, 6, 7, 8]);
});

test("attempts that the server knows go on counting", () => {
  assert.equal(planAgenda(plan([1], "again", { "3": 4 }), []).attempts.get(3), 4);
  assert.equal(planAgenda(plan([1], "again", { "3": 4 }), [letter(3, "aborted", 4)]).attempts.get(3), 5);
});

test("one answer that is missing in the middle is asked again without the pages around it", () => {
  assert.deepEqual(indexes(plan([1, 3, 6, 7])), [4, 8]);
});

test("an interruption says which attempt was interrupted and nothing else", () => {
  assert.deepEqual(interruptedBody({ session: "P-1", uuid: "u", index: 3, attempt: 2 }, 5), { index: 3, attempt: 2, state: "aborted", answer: {}, times: {}, flags: [], sent_ms: 5 });
});

test("a branch goes by answers of earlier visits and by those that still lie in the box", () => {
  const step: Step = { index: 9, kind: "page", plugin: "page", saved: false, parameters: {}, only: { question: "sight", answers: ["glasses", "lenses"] } };
  const said = (sight: unknown) => letterOf("P-1", null, { index: 1, attempt: 1, state: "done", answer: { fields: { sight } }, times: {}, flags: [], sent_ms: 0 });
  const leads = (told: Record<string, unknown>, ...letters: ReturnType<typeof letter>[]) => isOnTheWay(step, planAgenda({ ...plan([]), told }, letters).told);
  assert.deepEqual([leads({}), leads({ sight: "glasses" }), leads({ sight: "none" }), leads({ sight: null })], [false, true, false, false]);
  assert.deepEqual([leads({}, said(["none", "lenses"])), leads({ sight: "glasses" }, said("none"))], [true, false]);
});
