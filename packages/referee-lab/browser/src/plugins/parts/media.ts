// A description that is heard: a sound or a film that was loaded before the first trial, begun with a frame of the screen. When it really began is asked of the
// device, and how far that was from what was wanted is kept.

import { button, make } from "../../common/dom.ts";
import { flip, hold, LATE_MS, type Frames, type Onset } from "../../timing/frames.ts";
import { onPress, type Pointer } from "../../timing/press.ts";
import type { Flag } from "../../timing/watch.ts";
import { awaitStart, hide, isAwake, reveal, WAKE_MS } from "./reading.ts";
import type { Times } from "./result.ts";
import type { Surroundings } from "./surroundings.ts";

export interface MediaDescription {
  src: string;
  kind: "sound" | "film";
}

// The samples of a sound, or the address of a film that lies in memory.
export type Loaded = AudioBuffer | string;

// Sound has to be on its way before it can leave the loudspeaker: so long ahead it is handed over, beside what the device says it needs.
const LEAD_MS = 60;
const PIPELINE = 2;
const PRESSES = 3;
export const STALL_MS = 20_000;
// A device that makes no sound never comes to its end either.
const OVERDUE_MS = 3000;
// Some browsers tell of a film that lies in memory only when it is to be played.
const PATIENCE_MS = 5000;

export async function loadMedia({ src, kind }: MediaDescription, audio: AudioContext | null): Promise<Loaded> {
  const loaded = await bytesOf(src);
  if (kind === "film") {
    const address = URL.createObjectURL(loaded);
    await playable(make("video", { preload: "auto", src: address, muted: true }));
    return address;
  }
  if (!audio) throw new Error("this browser plays no sound");
  return audio.decodeAudioData(await loaded.arrayBuffer());
}

// A network that is lost may say nothing at all: what brings no byte for a while has failed, however long the rest takes.
export async function bytesOf(src: string): Promise<Blob> {
  const given = new AbortController();
  const soon = async <T>(wanted: Promise<T>): Promise<T> => {
    const late = setTimeout(() => given.abort(new Error(`${src}: nothing came`)), STALL_MS);
    try {
      return await wanted;
    } finally {
      clearTimeout(late);
    }
  };
  const reply = await soon(fetch(src, { signal: given.signal }));
  if (!reply.ok) throw new Error(`${src}: ${reply.status}`);
  const parts: BlobPart[] = [];
  const reader = reply.body!.getReader();
  for (let part = await soon(reader.read()); !part.done; part = await soon(reader.read())) parts.push(part.value);
  return new Blob(parts, { type: reply.headers.get("content-type") ?? "" });
}

function playable(film: HTMLVideoElement): Promise<void> {
  return new Promise((resolve, reject) => {
    if (film.readyState >= HTMLMediaElement.HAVE_ENOUGH_DATA) return resolve();
    film.addEventListener("canplaythrough", () => resolve(), { once: true });
    film.addEventListener("error", () => reject(new Error("it cannot be played")), { once: true });
    setTimeout(resolve, PATIENCE_MS);
    film.load();
  });
}

// Browsers make no sound before the first gesture; after a reload there was none.
export function mayPlay(): boolean {
  return window.navigator.userActivation?.hasBeenActive ?? true;
}

// Where the browser would play nothing, a press is asked for, and again if it was not enough.
export async function allowPlaying({ media }: Medium, place: HTMLElement, around: Surroundings, only: Pointer | null = null): Promise<void> {
  // Films make their own sound, if they have any.
  const audio = media.kind === "sound" ? around.audio : null;
  for (let asked = 0; asked < PRESSES; asked++) {
    if (mayPlay() && (!audio || (await isAwake(audio)))) return;
    await awaitStart(place, around, only);
  }
}

interface Playing {
  onset: Promise<number>;
  ended: Promise<void>;
  refused: Promise<boolean>;
  stop(): void;
}

export class Medium {
  readonly node: HTMLElement;
  repeats = 0;
  private readonly loaded: Loaded | undefined;
  private readonly film: HTMLVideoElement | null = null;
  private playing: Playing | null = null;
  private wanted = 0;
  private onset: number | null = null;
  private stopped: number | null = null;
  private over: Promise<void> = Promise.resolve();

  // `place` is where a press is asked for if the browser refuses to play.
  constructor(readonly media: MediaDescription, private readonly around: Surroundings, private readonly place: HTMLElement | null = null) {
    this.loaded = around.loaded.get(media.src);
    if (media.kind === "film") this.film = make("video", { class: "film", preload: "auto", playsinline: true, src: typeof this.loaded === "string" ? this.loaded : null });
    this.node = make("div", { class: "medium" }, this.film ?? make("p", { class: "listening", role: "status" }, around.say("listen")));
  }

  // `change` is made in the frame with which it begins; when it was heard is known a little later, and nobody waits for that.
  async begin(change: () => void, known: (onset: number) => void = () => undefined): Promise<Onset> {
    const shown = await this.start(change);
    this.wanted = shown.onset;
    void this.playing?.onset.then((onset) => {
      this.onset = onset;
      known(onset);
    });
    void this.ended().then(() => { this.stopped ??= this.around.frames.now(); });
    return shown;
  }

  // When the description began to be heard, for clocks that count from there.
  begun(shown: Onset): number {
    return this.onset ?? shown.onset;
  }

  ended(): Promise<void> {
    return this.over;
  }

  stop(): void {
    this.stopped ??= this.around.frames.now();
    this.playing?.stop();
  }

  async again(): Promise<void> {
    this.repeats++;
    await this.start(() => undefined);
    return this.ended();
  }

  // A button that plays it again as often as allowed; it can be pressed when nothing is heard.
  againButton(most: number, signal: AbortSignal, busy: (playing: boolean) => void = () => undefined): HTMLElement | null {
    if (!most) return null;
    const again = button(this.around.say("play_again"), "quiet");
    again.classList.add("again");
    hide(again);
    const offer = (): void => {
      if (this.repeats < most && !signal.aborted) reveal(again);
    };
    onPress(again, () => {
      hide(again);
      busy(true);
      void this.again().then(() => {
        busy(false);
        offer();
      });
    }, signal);
    this.offer = offer;
    return again;
  }

  offer: () => void = () => undefined;

  times(): Times {
    if (this.onset === null) return { media_onset: null, media_onset_error_ms: null, media_ms: null };
    const length = this.length();
    const heard = (this.stopped ?? this.around.frames.now()) - this.onset;
    return { media_onset: this.onset, media_onset_error_ms: this.onset - this.wanted, media_ms: Math.max(0, Math.min(heard, length)) };
  }

  flags(): Flag[] {
    if (this.onset === null) return ["preload-failed"];
    return Math.abs(this.onset - this.wanted) > LATE_MS ? ["late-onset"] : [];
  }

  private length(): number {
    if (this.film) return Number.isFinite(this.film.duration) ? this.film.duration * 1000 : Infinity;
    return this.loaded instanceof Object ? this.loaded.duration * 1000 : Infinity;
  }

  private async start(change: () => void): Promise<Onset> {
    const { frames, frameInterval, audio } = this.around;
    this.playing = null;
    this.node.classList.remove("over");
    let shown: Onset;
    if (this.film && this.loaded !== undefined) shown = await this.startFilm(this.film, change);
    else if (audio && this.loaded instanceof Object && (await isAwake(audio))) shown = await this.startSound(audio, this.loaded, frames, frameInterval, change);
    else shown = await flip(frames, change);
    this.over = this.playing ? (this.playing as Playing).ended : Promise.resolve();
    // Nobody is told to listen when nothing is heard any more.
    void this.over.then(() => this.node.classList.add("over"));
    return shown;
  }

  private async startFilm(film: HTMLVideoElement, change: () => void): Promise<Onset> {
    await playable(film).catch(() => undefined);
    if (film.currentTime > 0) await rewound(film);
    const { frames } = this.around;
    let playing = (this.playing = playFilm(film));
    if (this.place && (await playing.refused)) {
      await awaitStart(this.place, this.around);
      playing = this.playing = playFilm(film);
    }
    // A film takes a while to begin, and how long nobody knows: it begins unseen, and the change is made when its first picture is due:
    // a picture reaches the screen some frames after its clock has started.
    await Promise.race([running(film, frames), playing.ended, new Promise((resolve) => void setTimeout(resolve, WAKE_MS))]);
    await hold(frames, frames.now(), PIPELINE * this.around.frameInterval, this.around.frameInterval);
    const frame = frames.now();
    change();
    const onset = await new Promise<number>((resolve) => frames.next(resolve));
    return { request: frame, frame, onset };
  }

  // Handed over so early that it leaves the loudspeaker with the frame that shows the change.
  private async startSound(audio: AudioContext, sound: AudioBuffer, frames: Frames, interval: number, change: () => void): Promise<Onset> {
    const now = await new Promise<number>((resolve) => frames.next(resolve));
    const count = Math.max(3, Math.ceil((LEAD_MS + 1000 * latencyOf(audio)) / interval));
    this.playing = playSound(audio, sound, now + count * interval);
    await hold(frames, now, (count - 2) * interval, interval);
    return flip(frames, change);
  }
}

function latencyOf(audio: AudioContext): number {
  return (audio.baseLatency || 0) + (audio.outputLatency || 0);
}

// Which moment of the page's clock a moment of the sound's clock is, where it is heard and not where it is made.
function heardAt(audio: AudioContext, moment: number): number {
  const stamp = audio.getOutputTimestamp?.();
  if (stamp?.performanceTime && stamp.contextTime) return stamp.performanceTime + 1000 * (moment - stamp.contextTime);
  return performance.now() + 1000 * (moment - audio.currentTime + latencyOf(audio));
}

function playSound(audio: AudioContext, sound: AudioBuffer, planned: number): Playing {
  const source = audio.createBufferSource();
  source.buffer = sound;
  source.connect(audio.destination);
  // What should have begun in the past begins now.
  const when = Math.max(audio.currentTime, audio.currentTime + (planned - heardAt(audio, audio.currentTime)) / 1000);
  source.start(when);
  const overdue = planned + 1000 * sound.duration + OVERDUE_MS;
  const ended = new Promise<void>((resolve) => {
    source.addEventListener("ended", () => resolve(), { once: true });
    setTimeout(resolve, overdue - performance.now());
  });
  // Asked again when it has begun: only then is it known what the device did.
  const onset = new Promise<number>((resolve) => {
    const look = (): void => {
      if (audio.currentTime > when + latencyOf(audio)) resolve(heardAt(audio, when));
      else if (performance.now() < overdue) setTimeout(look, 4);
    };
    look();
  });
  return { onset, ended, refused: Promise.resolve(false), stop: () => source.stop() };
}

function running(film: HTMLVideoElement, frames: Frames): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (film.currentTime > 0 || film.error) resolve();
      else frames.next(look);
    };
    frames.next(look);
  });
}

function rewound(film: HTMLVideoElement): Promise<void> {
  return new Promise((resolve) => {
    film.addEventListener("seeked", () => resolve(), { once: true });
    film.currentTime = 0;
  });
}

function playFilm(film: HTMLVideoElement): Playing {
  const ended = new Promise<void>((resolve) => {
    film.addEventListener("ended", () => resolve(), { once: true });
    film.addEventListener("error", () => resolve(), { once: true });
  });
  const onset = new Promise<number>((resolve) => {
    // The first picture says when it is on the screen, and which moment of the film it shows.
    if ("requestVideoFrameCallback" in film) film.requestVideoFrameCallback((_, { expectedDisplayTime, mediaTime }) => resolve(expectedDisplayTime - 1000 * mediaTime));
    else (film as HTMLVideoElement).addEventListener("playing", (event) => resolve(event.timeStamp), { once: true });
  });
  const refused = film.play().then(() => false, (problem: Error) => {
    if (problem.name === "NotAllowedError") return true;
    film.dispatchEvent(new Event("error"));
    return false;
  });
  return { onset, ended, refused, stop: () => film.pause() };
}

// A panel appears, and with it begins what is heard; where a gesture is lacking, it is asked for first.
export async function appear(place: HTMLElement, panel: HTMLElement, medium: Medium | null, around: Surroundings): Promise<Onset> {
  const change = (): void => reveal(panel);
  if (!medium) return flip(around.frames, change);
  await allowPlaying(medium, place, around);
  const shown = await medium.begin(change);
  void medium.ended().then(() => medium.offer());
  return shown;
}
