// Shows a film on a board at any speed. The screen always has the stored state of one time; at a speed of 1 a second of film takes a second.

import type { Frames } from "../timing/frames.ts";
import { BoardView } from "../tangram/board-view.ts";
import { piecesOn } from "../tangram/board.ts";
import type { Film } from "./film.ts";
import { Voices } from "./voices.ts";

export interface Showing {
  time: number;
  playing: boolean;
}

export class Projector {
  readonly view: BoardView;
  readonly voices: Voices;
  speed = 1;
  private now: number;
  private last: number | null = null;
  private withCursor = true;

  constructor(private readonly film: Film, private readonly frames: Frames, label: string, private readonly tell: (showing: Showing) => void = () => undefined) {
    this.view = new BoardView(film.data.state.area, { label, numbers: true, pieces: piecesOn(film.data.state) });
    this.voices = new Voices(film.data.sounds ?? []);
    this.now = film.start;
    this.show();
  }

  get time(): number {
    return this.now;
  }

  get playing(): boolean {
    return this.last !== null;
  }

  set cursor(visible: boolean) {
    this.withCursor = visible;
    this.show();
  }

  seek(time: number): void {
    this.now = Math.min(Math.max(time, this.film.start), this.film.end);
    if (this.last !== null) this.last = this.frames.now();
    this.show();
  }

  step(direction: 1 | -1): void {
    this.pause();
    this.seek(this.film.neighbour(this.now, direction));
  }

  play(): void {
    if (this.last !== null) return;
    if (this.now >= this.film.end) this.now = this.film.start;
    this.last = this.frames.now();
    this.frames.next(this.advance);
    this.show();
  }

  pause(): void {
    this.last = null;
    this.show();
  }

  // Ends a showing where it is.
  stop(): void {
    if (this.last === null) return;
    const frame = this.last;
    this.pause();
    this.ended(frame);
  }

  // From the start to the end; resolves with the time stamp of the frame that shows the end.
  playThrough(): Promise<number> {
    this.seek(this.film.start);
    this.play();
    return new Promise((resolve) => (this.ended = resolve));
  }

  private ended: (frame: number) => void = () => undefined;

  private readonly advance = (frame: number): void => {
    if (this.last === null) return;
    this.now = Math.min(this.now + Math.max(frame - this.last, 0) * this.speed, this.film.end);
    this.last = frame;
    if (this.now >= this.film.end) {
      this.last = null;
      this.show();
      this.ended(frame);
      return;
    }
    this.show();
    this.frames.next(this.advance);
  };

  private show(): void {
    const { board, cursor } = this.film.at(this.now);
    this.view.show(board);
    this.view.setCursor(this.withCursor ? cursor : null);
    this.voices.follow(this.now, this.playing, this.speed);
    this.tell({ time: this.now, playing: this.playing });
  }
}
