// A room as a step of a study, whatever is played there: it has the whole display, and the step ends when the room does.

import type { JsPsych } from "jspsych";
import { button, make, onSingleClick } from "../../common/dom.ts";
import type { RoomPageSettings } from "../../room/room-page.ts";
import { visit } from "../../room/visit.ts";
import { teller } from "../../room/words.ts";
import { Watch } from "../../timing/watch.ts";
import type { Result } from "./result.ts";
import { appearance, pause, simulate, someTime, type SimulationMode, type SimulationOptions } from "./simulating.ts";
import { surroundingsOf } from "./surroundings.ts";

// Opens the room's page; `atEnd` is for what has to stop with it.
export function enterRoom<Ended extends object>(jsPsych: JsPsych, display: HTMLElement, open: (settings: RoomPageSettings<Ended>) => { stop: () => void }, atEnd?: () => void): void {
  const { frames, say } = surroundingsOf(jsPsych);
  const watch = new Watch(frames);
  const began = performance.now();
  const root = make("div");
  display.replaceChildren(root);
  const page = open({
    root,
    tell: teller(say),
    wire: { address: (room) => visit.address(room), hello: () => visit.hello() },
    reload: () => location.reload(),
    finish: (ended) => {
      page.stop();
      atEnd?.();
      root.remove();
      jsPsych.finishTrial(resultOf(ended, began, performance.now(), watch.stop()));
    },
  });
  visit.leave = () => page.stop();
}

// A simulated person, for whom there is no room: a button stands for it, and `ended` is what it would have said.
export function simulateRoom(jsPsych: JsPsych, mode: SimulationMode, options: SimulationOptions, load: (() => void) | undefined, ended: object, medianMs: number): void {
  const began = performance.now();
  simulate(jsPsych, mode, options, load, {
    data: () => resultOf(ended, 0, someTime(medianMs), []),
    begin: (display) => {
      const go = button("…");
      display.replaceChildren(make("div", { class: "actions" }, go));
      onSingleClick(go, () => jsPsych.finishTrial(resultOf(ended, began, performance.now(), [])));
    },
    act: async (display) => {
      const [go] = await appearance(display, ".actions .button");
      await pause(10);
      go!.click();
    },
  });
}

function resultOf(ended: object, t_onset: number, t_response: number, flags: Result["flags"]): Result {
  return { answer: { ...ended }, times: { combined_ms: t_response - t_onset, t_onset, t_response }, flags };
}
