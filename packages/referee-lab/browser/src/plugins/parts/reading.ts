// Reading at one's own pace before a scene appears: a point to look at, then the whole description or a window that moves over its words.

import { button, make } from "../../common/dom.ts";
import { flip, hold, type Onset } from "../../timing/frames.ts";
import { onAnyKey, onPress, type Pointer, type Press } from "../../timing/press.ts";
import type { Medium } from "./media.ts";
import type { Surroundings } from "./surroundings.ts";

export type ReadingKind = "together" | "before" | "words";

export interface Reading {
  onsets: Onset[];
  presses: Press[];
  regions: number[];
}

const BELL_HERTZ = 660;
const BELL_SECONDS = 0.15;
export const WAKE_MS = 1000;
const TONE_SECONDS = 0.3;
const TONES_APART = 0.6;

export function ring(audio: AudioContext | null, after = 0, seconds = BELL_SECONDS): void {
  if (!audio) return;
  const tone = audio.createOscillator();
  const loudness = audio.createGain();
  const begin = audio.currentTime + after;
  tone.frequency.value = BELL_HERTZ;
  loudness.gain.setValueAtTime(0.2, begin);
  loudness.gain.exponentialRampToValueAtTime(0.001, begin + seconds);
  tone.connect(loudness).connect(audio.destination);
  tone.start(begin);
  tone.stop(begin + seconds);
}

// A browser that waits for a gesture never says no: it keeps silent.
export async function isAwake(audio: AudioContext): Promise<boolean> {
  if (audio.state !== "running") await Promise.race([audio.resume(), new Promise((resolve) => void setTimeout(resolve, WAKE_MS))]);
  return (audio.state as string) === "running";
}

// Tones that can be counted; resolves when the last is over.
export async function playTones(audio: AudioContext | null, count: number): Promise<void> {
  if (!audio || !(await isAwake(audio))) return;
  for (let i = 0; i < count; i++) ring(audio, i * TONES_APART, TONE_SECONDS);
  await new Promise((resolve) => void setTimeout(resolve, 1000 * count * TONES_APART));
}

export async function fixate(place: HTMLElement, duration: number, bell: boolean, around: Surroundings): Promise<void> {
  const point = make("div", { class: "fixation waiting", role: "img", "aria-label": around.say("fixation") });
  place.append(point);
  const shown = await flip(around.frames, () => point.classList.remove("waiting"));
  if (bell) ring(around.audio);
  await hold(around.frames, shown.onset, duration, around.frameInterval);
  point.remove();
}

export interface Reader {
  place: HTMLElement;
  text: HTMLElement;
  control: HTMLElement;
  around: Surroundings;
  over: AbortSignal; // when reading has taken too long
  only?: Pointer | null; // the one way of pressing that counts
}

export function nothingRead(): Reading {
  return { onsets: [], presses: [], regions: [] };
}

// What was pressed before the onset was meant for something else. A page that is gone, or whose time is over, no longer listens.
function press({ place, control, over, only }: Reader, since: number): Promise<Press> {
  return new Promise((resolve) => {
    const done = new AbortController();
    over.addEventListener("abort", () => done.abort(), { once: true });
    if (over.aborted) return;
    const act = (made: Press): void => {
      if (made.time < since || (only && made.pointer !== only)) return;
      done.abort();
      if (place.isConnected) resolve(made);
    };
    onPress(control, act, done.signal, true);
    onAnyKey(act, done.signal);
    place.focus({ preventScroll: true });
  });
}

// A trial that begins when the person says so.
export async function awaitStart(place: HTMLElement, around: Surroundings, only: Pointer | null = null): Promise<void> {
  const go = button(around.say("start"));
  place.append(make("div", { class: "starting" }, go));
  await readWhole({ place, text: go, control: go, around, over: new AbortController().signal, only }, nothingRead());
  place.querySelector(".starting")?.remove();
}

// `reading` is filled on the way, so that what was read is known when time runs out.
export async function readWhole(reader: Reader, reading: Reading): Promise<void> {
  const { text, control, around } = reader;
  const onset = await flip(around.frames, () => [text, control].forEach((node) => reveal(node)));
  reading.onsets.push(onset);
  reading.presses.push(await press(reader, onset.onset));
}

// What is heard can be gone on from when it is over, and heard again where that is allowed.
export async function hear(reader: Reader, medium: Medium, repeats: number, reading: Reading): Promise<void> {
  const { text, control, over } = reader;
  const again = medium.againButton(repeats, over, (playing) => (playing ? hide : reveal)(control));
  if (again) control.before(again);
  over.addEventListener("abort", () => medium.stop(), { once: true });
  // Filled in when it is known, which may be before the scene is on the screen or after. Late or not is the medium's own word, by how far it is from what was wanted.
  const heard: Onset = { request: 0, frame: 0, onset: 0 };
  const shown = await medium.begin(() => [text, medium.node].forEach((node) => reveal(node)), (onset) => {
    Object.assign(heard, { request: onset, onset });
  });
  Object.assign(heard, heard.onset ? { frame: shown.frame } : shown);
  reading.onsets.push(heard);
  await medium.ended();
  reveal(control);
  medium.offer();
  reading.presses.push(await press(reader, shown.onset));
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
export async function readWords(reader: Reader, words: HTMLElement[], reading: Reading): Promise<void> {
  const veiled = nothingRead();
  await readWhole(reader, veiled);
  if (!words.length) {
    Object.assign(reading, veiled);
    return;
  }
  for (const [i, word] of words.entries()) {
    const shown = await flip(reader.around.frames, () => {
      conceal(words[i - 1]);
      word.classList.add("open");
      word.removeAttribute("aria-hidden");
    });
    reading.onsets.push(shown);
    const pressed = await press(reader, shown.onset);
    reading.presses.push(pressed);
    reading.regions.push(pressed.time - shown.onset);
  }
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
