// A film of a recording: stored states between two times. What a time shows is looked up, never worked out by the rules of the game.

import type { FilmSound } from "./voices.ts";
import { putPiece, type Board, type Placement, type Point } from "../tangram/board.ts";

type CursorMark = [number, number, number];
type PieceMark = [number, string, number, number, number, boolean];
type StateMark = [number, Board];

export interface Said {
  by: string;
  text: string;
  start_ms: number;
  end_ms: number;
  shown_ms: number;
}

export interface Hint extends Placement {
  t_ms: number;
  number: number;
  piece: string;
}

export interface FilmData {
  start_ms: number;
  end_ms: number;
  state: Board;
  cursor: Point | null;
  marks: (CursorMark | PieceMark | StateMark)[];
  said: Said[];
  hints: Hint[];
  sounds?: FilmSound[]; // what was recorded of voices
}

export interface Moment {
  board: Board;
  cursor: Point | null;
}

// How many of the times, which are in order, are not after the one asked for.
export function countUpTo(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Film {
  readonly start: number;
  readonly end: number;
  // Every time at which something was seen to change: the frames of the film.
  readonly frames: number[] = [];
  private readonly boardTimes: number[] = [-Infinity];
  private readonly boards: Board[];
  private readonly cursorTimes: number[] = [-Infinity];
  private readonly cursors: (Point | null)[];

  constructor(readonly data: FilmData) {
    [this.start, this.end] = [data.start_ms, data.end_ms];
    this.boards = [data.state];
    this.cursors = [data.cursor];
    for (const mark of data.marks) this.take(mark);
  }

  at(time: number): Moment {
    return { board: this.boards[countUpTo(this.boardTimes, time) - 1]!, cursor: this.cursors[countUpTo(this.cursorTimes, time) - 1]! };
  }

  // The next frame after a time, or the last one before it; the ends of the film are frames too.
  neighbour(time: number, direction: 1 | -1): number {
    if (direction > 0) return this.frames[countUpTo(this.frames, time)] ?? this.end;
    const before = countUpTo(this.frames, time);
    const place = this.frames[before - 1] === time ? before - 2 : before - 1;
    return this.frames[place] ?? this.start;
  }

  private take(mark: CursorMark | PieceMark | StateMark): void {
    const time = mark[0];
    if (this.frames.at(-1) !== time) this.frames.push(time);
    if (mark.length === 3) {
      this.cursorTimes.push(time);
      this.cursors.push([mark[1], mark[2]]);
      return;
    }
    this.boardTimes.push(time);
    if (mark.length === 2) this.boards.push(mark[1]);
    else this.boards.push(putPiece(this.boards.at(-1)!, mark[1], { x: mark[2], y: mark[3], rotation: mark[4], flipped: mark[5] }));
  }
}
