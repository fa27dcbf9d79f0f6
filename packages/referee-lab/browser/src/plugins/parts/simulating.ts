// Simulated people for the plug-ins: data without a page, or events on the real page ("visual"), as jsPsych asks of a plug-in.

import type { JsPsych } from "jspsych";
import type { Onset } from "../../timing/frames.ts";
import type { Press } from "../../timing/press.ts";
import type { Result } from "./result.ts";

export type SimulationMode = "data-only" | "visual";
export interface SimulationOptions {
  data?: Record<string, unknown>;
  simulate?: boolean;
}

export function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}

// Times of people are skewed; a log-normal around a median is near enough for a rehearsal.
export function someTime(medianMs: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  return medianMs * Math.exp(0.35 * normal);
}

export function someOnset(): Onset {
  const request = performance.now();
  return { request, frame: request + 8, onset: request + 25 };
}

// A press as a program makes it, which flags say: never trusted.
export function somePress(time: number): Press {
  return { time, handled: time + 1, pointer: "mouse", trusted: false };
}

export function simulate(
  jsPsych: JsPsych,
  mode: SimulationMode,
  options: SimulationOptions,
  load: (() => void) | undefined,
  person: { data: () => Result; begin: (display: HTMLElement) => void; act: (display: HTMLElement) => Promise<void> },
): void {
  load?.();
  if (mode === "data-only") {
    jsPsych.finishTrial(jsPsych.pluginAPI.mergeSimulationData(person.data(), options));
    return;
  }
  const display = jsPsych.getDisplayElement();
  person.begin(display);
  void person.act(display);
}

// Waits until something that can be used matches the selector.
export function appearance(display: HTMLElement, selector: string): Promise<HTMLElement[]> {
  return new Promise((resolve) => {
    const look = (): void => {
      const found = [...display.querySelectorAll<HTMLElement>(selector)].filter((node) => !node.closest("[inert], .waiting, :disabled"));
      if (found.length) resolve(found);
      else requestAnimationFrame(look);
    };
    look();
  });
}

// Starts whatever waits for a press to be started, as often as it is asked, until the person has answered.
export async function startingWhenAsked(display: HTMLElement, act: () => Promise<void>): Promise<void> {
  const look = setInterval(() => {
    const go = display.querySelector<HTMLElement>(".starting .button:not(.waiting)");
    if (go) pressOn(go);
  }, 200);
  await act();
  clearInterval(look);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

export function pressOn(node: HTMLElement): void {
  node.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, isPrimary: true, button: 0, pointerType: "mouse" }));
}

export function type(node: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value: string): void {
  node.value = value;
  node.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText" }));
  node.dispatchEvent(new Event("change", { bubbles: true }));
}
