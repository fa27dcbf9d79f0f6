// The board as a player has it: what the server has said, and on top of it what one's own hand has done and the server has not yet confirmed.

import { applyChange, putPiece, type Board, type Change, type Placement } from "../tangram/board.ts";
import { hashOf } from "../tangram/board-hash.ts";
import type { RoomEvent } from "./wire.ts";

const HANDLING = new Set(["grab", "move", "rotate", "flip", "release"]);

export class LiveTable {
  private pending: { seq: number; change: Change }[] = [];
  private shown: Board;

  constructor(private base: Board) {
    this.shown = base;
  }

  // What both players agree on.
  get agreed(): Board {
    return this.base;
  }

  get board(): Board {
    return this.shown;
  }

  get isSettled(): boolean {
    return this.pending.length === 0;
  }

  do(seq: number, change: Change): void {
    this.pending.push({ seq, change });
    this.shown = applyChange(this.shown, change);
  }

  // After an interruption: the server's state, and of one's own changes those that it does not have yet.
  reset(base: Board, isOpen: (seq: number) => boolean): void {
    this.base = base;
    this.pending = this.pending.filter(({ seq }) => isOpen(seq));
    this.rebuild();
  }

  // False when a snapshot shows that this page has another board than the server.
  take(event: RoomEvent): boolean {
    if (event.kind === "start") this.reset(event.data.state as Board, () => false);
    else if (HANDLING.has(event.kind)) this.put(event);
    else if (event.kind === "late") this.takeBack(event);
    return event.kind !== "snapshot" || hashOf(this.base) === event.data.hash;
  }

  private put(event: RoomEvent): void {
    this.base = putPiece(this.base, String(event.data.piece), event.data as unknown as Placement);
    if (event.seq !== undefined) this.pending = this.pending.filter(({ seq }) => seq > event.seq!);
    this.rebuild();
  }

  // Somebody else had a piece in the hand, or the puzzle was over: what was done here did not happen.
  private takeBack(event: RoomEvent): void {
    this.pending = this.pending.filter(({ seq }) => event.seq === undefined || seq > event.seq);
    this.rebuild();
  }

  private rebuild(): void {
    this.shown = this.pending.reduce((board, { change }) => applyChange(board, change), this.base);
  }
}
