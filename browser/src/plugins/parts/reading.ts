// Reading at one's own pace before a scene appears: a point to look at, then the whole description or a window that moves over its words.

import { make } from "../../common/dom.ts";
import { flip, hold, type Onset } from "../../timing/frames.ts";
import { onAnyKey, onPress, type Press } from "../../timing/press.ts";
import type { Surroundings } from "./surroundings.ts";

export type ReadingKind = "together" | "before" | "words";

export interface Reading {
  onsets: Onset[];
  presses: Press[];
  regions: number[];
}

const BELL_HERTZ = 660;
const BELL_SECONDS = 0.15;

export function ring(audio: AudioContext | null): void {
  if (!audio) return;
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  tone.frequency.value = BELL_HERTZ;
  loudness.gain.setValueAtTime(0.2, audio.currentTime);
  loudness.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + BELL_SECONDS);
  tone.connect(loudness).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + BELL_SECONDS);
}

export async function fixate(place: HTMLElement, duration: number, bell: boolean, around: Surroundings): Promise<void> {
  const point = make("div", { class: "fixation waiting", role: "img", "aria-label": around.say("fixation") });
  place.append(point);
  const shown = await flip(around.frames, () => point.classList.remove("waiting"));
  if (bell) ring(around.audio);
  await hold(around.frames, shown.onset, duration, around.frameInterval);
  point.remove();
}

// What was pressed before the onset was meant for something else. A page that is gone no longer listens.
function press(place: HTMLElement, control: HTMLElement, since: number): Promise<Press> {
  return new Promise((resolve) => {
    const done = new AbortController();
    const act = (made: Press): void => {
      if (made.time < since) return;
      done.abort();
      if (place.isConnected) resolve(made);
    };
    onPress(control, act, done.signal, true);
    onAnyKey(act, done.signal);
    place.focus({ preventScroll: true });
  });
}

export async function readWhole(place: HTMLElement, text: HTMLElement, control: HTMLElement, around: Surroundings): Promise<Reading> {
  const onset = await flip(around.frames, () => [text, control].forEach((node) => reveal(node)));
  const pressed = await press(place, control, onset.onset);
  return { onsets: [onset], presses: [pressed], regions: [] };
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter(Boolean);
}

export function veil(text: HTMLElement, words: readonly string[]): HTMLElement[] {
  const spans = words.map((word) => make("span", { class: "word", "aria-hidden": "true" }, word));
  text.replaceChildren(...spans.flatMap((span, i) => (i ? [" ", span] : [span])));
  return spans;
}

// Each word is unveiled in the frame that veils the one before it.
export async function readWords(place: HTMLElement, text: HTMLElement, words: HTMLElement[], control: HTMLElement, around: Surroundings): Promise<Reading> {
  const veiled = await readWhole(place, text, control, around);
  if (!words.length) return veiled;
  const reading: Reading = { onsets: [], presses: [], regions: [] };
  for (const [i, word] of words.entries()) {
    const shown = await flip(around.frames, () => {
      conceal(words[i - 1]);
      word.classList.add("open");
      word.removeAttribute("aria-hidden");
    });
    const pressed = await press(place, control, shown.onset);
    reading.onsets.push(shown);
    reading.presses.push(pressed);
    reading.regions.push(pressed.time - shown.onset);
  }
  return reading;
}

function conceal(word: HTMLElement | undefined): void {
  word?.classList.remove("open");
  word?.setAttribute("aria-hidden", "true");
}

// What waits is laid out but can be neither seen, reached nor read aloud.
export function hide(node: HTMLElement): void {
  node.classList.add("waiting");
  node.inert = true;
}

export function reveal(node: HTMLElement): void {
  node.classList.remove("waiting");
  node.inert = false;
}
