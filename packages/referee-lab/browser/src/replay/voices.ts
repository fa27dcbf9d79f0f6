// The voices of a film: each file plays from where it begins in the game, at the speed of the film, and is set right when it drifts.

import { make } from "../common/dom.ts";

export interface FilmSound {
  by: string;
  start_ms: number;
  end_ms: number;
  src: string;
}

// Further apart than this, lips and words part company; nearer, every correction would be heard as a click.
const DRIFT_MS = 120;

export class Voices {
  readonly node = make("div", { class: "voices", hidden: true });
  private readonly players: { sound: FilmSound; audio: HTMLAudioElement }[];

  constructor(sounds: readonly FilmSound[]) {
    this.players = sounds.map((sound) => ({ sound, audio: make("audio", { "preload": "auto", "src": sound.src, "data-by": sound.by }) }));
    this.node.append(...this.players.map(({ audio }) => audio));
  }

  get any(): boolean {
    return this.players.length > 0;
  }

  set muted(muted: boolean) {
    for (const { audio } of this.players) audio.muted = muted;
  }

  // Resolves once all can be played through, or cannot be had at all: nobody waits for ever.
  async ready(): Promise<void> {
    await Promise.all(this.players.map(({ audio }) => new Promise<void>((resolve) => {
      if (audio.readyState >= HTMLMediaElement.HAVE_ENOUGH_DATA || audio.error) return resolve();
      for (const name of ["canplaythrough", "error"]) audio.addEventListener(name, () => resolve(), { once: true });
    })));
  }

  follow(time: number, playing: boolean, speed: number): void {
    for (const { sound, audio } of this.players) {
      if (playing && time >= sound.start_ms && time < sound.end_ms) play(audio, time - sound.start_ms, speed);
      else if (!audio.paused) audio.pause();
    }
  }
}

function play(audio: HTMLAudioElement, at: number, speed: number): void {
  audio.playbackRate = speed;
  // Played at its end, a file would begin again.
  if (audio.error || at >= audio.duration * 1000) return;
  if (Math.abs(audio.currentTime * 1000 - at) > DRIFT_MS * Math.max(1, speed)) audio.currentTime = at / 1000;
  // A browser that forbids sound shows the film without it.
  if (audio.paused) audio.play().catch(() => undefined);
}
