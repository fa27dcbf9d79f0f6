// Plays a plan with jsPsych: before each step there is room in the outbox, after each its answer lies in it.

import { initJsPsych, type JsPsych, type PluginInfo, type TrialType } from "jspsych";
import { make } from "../common/dom.ts";
import type { Result } from "../plugins/parts/result.ts";
import type { SimulationMode } from "../plugins/parts/simulating.ts";
import type { Surroundings } from "../plugins/parts/surroundings.ts";
import { OWN, ownResult } from "../plugins/own.ts";
import { trialOf } from "../plugins/table.ts";
import { visit } from "../room/visit.ts";
import { flip, hold, type Onset } from "../timing/frames.ts";
import { Watch } from "../timing/watch.ts";
import type { Agenda } from "./agenda.ts";
import { hearTold, isInterruptible, isOnTheWay } from "./agenda.ts";
import type { Saved } from "./api.ts";
import type { Frame } from "./frame.ts";
import { makeUuid } from "./memory.ts";
import { letterOf, type Outbox } from "./outbox.ts";
import type { Ending, Plan, Step } from "./plan.ts";
import type { Sender } from "./sender.ts";

// A blank between steps: what was pressed for the last one does not reach the next.
const GAP_MS = 250;
const FEEDBACK_MS = 1200;

type TrialDescription = TrialType<PluginInfo>;

export interface Means {
  frame: Frame;
  box: Outbox;
  sender: Sender;
  around: Surroundings;
  simulation: SimulationMode | null;
  end: (ending: Ending) => void;
}

// Which trial of how many; practice counts for itself.
export function placeOf(step: Step, steps: readonly Step[]): { n: number; of: number } {
  const alike = steps.filter((other) => other.kind === step.kind);
  return { n: alike.indexOf(step) + 1, of: alike.length };
}

export class Play {
  private readonly jsPsych: JsPsych;
  private stopped = false;
  private uuid = makeUuid();
  private readonly passedBy = new Set<number>();

  constructor(private readonly plan: Plan, private readonly agenda: Agenda, private readonly means: Means) {
    this.jsPsych = initJsPsych({ display_element: means.frame.stage, surroundings: means.around } as Parameters<typeof initJsPsych>[0]);
  }

  async run(): Promise<void> {
    const { steps } = this.agenda;
    if (!steps.length) return;
    const timeline = steps.map((step, i) => ({ timeline: [this.describe(step, i)], conditional_function: () => !this.passedBy.has(step.index) }));
    this.means.frame.stage.replaceChildren();
    await this.goOn(0);
    this.means.frame.stage.tabIndex = -1;
    if (this.means.simulation) await this.jsPsych.simulate(timeline, this.means.simulation);
    else await this.jsPsych.run(timeline);
  }

  stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    visit.leave();
    if (this.jsPsych.getDisplayElement()) this.jsPsych.abortExperiment();
  }

  // On to the next step that earlier answers lead to; those passed by are answered as such, so that the server knows.
  private async goOn(from: number): Promise<void> {
    for (const step of this.agenda.steps.slice(from)) {
      if (isOnTheWay(step, this.agenda.told)) return this.prepare(step);
      this.passedBy.add(step.index);
      this.uuid = makeUuid();
      await this.conclude(step, { answer: { skipped: true }, times: {}, flags: [] });
    }
  }

  private describe(step: Step, place: number): TrialDescription {
    const { frame, around } = this.means;
    const isOwn = step.plugin === OWN;
    let watch: Watch | null = null;
    let onset: Promise<Onset> | null = null;
    return {
      ...trialOf(step),
      on_start: () => {
        frame.stage.tabIndex = -1;
        window.scrollTo(0, 0);
        if (!isOwn) return;
        watch = new Watch(around.frames);
        onset = flip(around.frames, () => undefined);
        // Keys reach a plug-in only while the stage has the focus.
        frame.stage.focus();
      },
      on_finish: async (data: Record<string, unknown>) => {
        const flags = watch?.stop() ?? [];
        if (this.stopped) return;
        await this.conclude(step, onset ? ownResult(data, await onset, flags) : (data as unknown as Result));
        if (!this.stopped) await this.goOn(place + 1);
      },
    };
  }

  private async prepare(step: Step): Promise<void> {
    const { frame, sender, box, around } = this.means;
    frame.setProgress(step.index, this.plan.steps.length);
    around.place = placeOf(step, this.plan.steps);
    visit.step = step.index;
    await this.waitForRoom(sender);
    this.uuid = makeUuid();
    if (!isInterruptible(step)) return;
    const blank = await flip(around.frames, () => undefined);
    await hold(around.frames, blank.onset, GAP_MS, around.frameInterval);
    await box.begin({ session: this.plan.alias, uuid: this.uuid, index: step.index, attempt: this.attempt(step) });
  }

  private attempt(step: Step): number {
    return this.agenda.attempts.get(step.index) ?? 1;
  }

  private async waitForRoom(sender: Sender): Promise<void> {
    const limit = this.plan.policy.unsaved_limit;
    if (sender.pending < limit) return;
    const note = make("div", { class: "page" }, make("p", { class: "lead", role: "status" }, this.means.around.say("waiting")));
    this.means.frame.stage.append(note);
    await sender.room(limit);
    note.remove();
  }

  private async conclude(step: Step, { answer, times, flags }: Result): Promise<void> {
    if (!step.saved) return;
    hearTold(this.agenda.told, answer);
    const { box, sender, frame } = this.means;
    const body = { index: step.index, attempt: this.attempt(step), state: "done" as const, answer, times, flags, sent_ms: performance.now() };
    const letter = letterOf(this.plan.alias, this.uuid, body);
    await box.end(this.plan.alias, letter);
    const reply = sender.send(letter);
    frame.setProgress(step.index + 1, this.plan.steps.length);
    if (step.screening) {
      const ended = (await reply)?.ended;
      if (ended) return this.means.end(ended);
    }
    if (this.plan.policy.feedback && step.kind === "practice") await this.tell(await reply);
  }

  private async tell(saved: Saved | null): Promise<void> {
    if (typeof saved?.right !== "boolean") return;
    const { frame, around } = this.means;
    const note = make("div", { class: "page" }, make("p", { class: "lead", role: "status" }, around.say(saved.right ? "right" : "wrong")));
    const shown = await flip(around.frames, () => frame.stage.append(note));
    await hold(around.frames, shown.onset, FEEDBACK_MS, around.frameInterval);
    note.remove();
  }
}
