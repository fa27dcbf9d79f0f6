// The operator's hand: mouse, pen, fingers and keys become changes of pieces, the pointer becomes the cursor that both see.

import { pieceNear, piecesOn, type Board, type Change, type Point } from "../tangram/board.ts";
import type { BoardView } from "../tangram/board-view.ts";
import type { CursorPoint } from "./wire.ts";

const FINGER_PX = 22;
const STEP = 10;
const FINE_STEP = 1;
const ARROWS: Record<string, Point> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export interface HandSettings {
  view: BoardView;
  board: () => Board;
  act: (change: Change) => void;
  move: (points: CursorPoint[]) => void;
  select: (piece: string | null) => void;
}

export class LiveHand {
  selected: string | null = null;
  private held: { piece: string; pointer: number; grip: Point } | null = null;
  private wanted: { piece: string; x: number; y: number } | null = null;
  private points: CursorPoint[] = [];
  private nudged: string | null = null;
  private readonly stopping = new AbortController();

  constructor(private readonly settings: HandSettings) {
    const { svg } = settings.view;
    const { signal } = this.stopping;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointerdown", (event) => this.press(event), { signal });
    svg.addEventListener("pointermove", (event) => this.drag(event), { signal });
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) svg.addEventListener(name, (event) => this.lift(event), { signal });
    svg.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
    svg.addEventListener("focus", () => this.choose(this.selected ?? this.pieces[0]!), { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    document.addEventListener("keyup", (event) => event.key in ARROWS && this.settle(), { signal });
    window.addEventListener("blur", () => this.settle(), { signal });
  }

  private get pieces(): string[] {
    return piecesOn(this.settings.board());
  }

  stop(): void {
    this.stopping.abort();
  }

  choose(piece: string | null): void {
    if (piece !== this.selected) this.settle();
    this.selected = piece;
    this.settings.select(piece);
  }

  rotate(direction: 1 | -1): void {
    if (!this.selected) return;
    this.flushMove();
    const board = this.settings.board();
    this.settings.act({ kind: "rotate", piece: this.selected, rotation: board.pieces[this.selected]!.rotation + direction * board.step });
  }

  flip(): void {
    if (!this.selected) return;
    this.flushMove();
    this.settings.act({ kind: "flip", piece: this.selected, flipped: !this.settings.board().pieces[this.selected]!.flipped });
  }

  // Once a frame: the latest place of a dragged piece, and where the pointer has been.
  frame(): void {
    this.flushMove();
    this.settings.move(this.points);
    this.points = [];
  }

  private flushMove(): void {
    if (this.wanted) this.settings.act({ kind: "move", ...this.wanted });
    this.wanted = null;
  }

  private press(event: PointerEvent): void {
    if (this.held || (event.pointerType === "mouse" && event.button !== 0)) return;
    const { point: [x, y], unitsPerPixel } = this.settings.view.locate(event.clientX, event.clientY);
    const piece = pieceNear(this.settings.board(), x, y, event.pointerType === "mouse" ? 0 : FINGER_PX * unitsPerPixel);
    this.points.push([event.timeStamp, x, y]);
    if (piece === null) return;
    event.preventDefault();
    this.choose(piece);
    this.settings.view.svg.setPointerCapture?.(event.pointerId);
    const { x: px, y: py } = this.settings.board().pieces[piece]!;
    this.held = { piece, pointer: event.pointerId, grip: [x - px, y - py] };
    this.settings.act({ kind: "grab", piece });
  }

  private drag(event: PointerEvent): void {
    if (this.held && event.pointerId !== this.held.pointer) return;
    const { point: [x, y] } = this.settings.view.locate(event.clientX, event.clientY);
    this.points.push([event.timeStamp, x, y]);
    if (this.held) this.wanted = { piece: this.held.piece, x: x - this.held.grip[0], y: y - this.held.grip[1] };
  }

  private lift(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    this.flushMove();
    this.settings.act({ kind: "release", piece: this.held.piece });
    this.held = null;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // A hand that holds a piece is not writing, whatever has the focus.
    const turning = ["r", "f"].includes(event.key.toLowerCase());
    if (isWriting(event.target) && !(this.held && turning)) return;
    const numbered = /^[1-9]$/.test(event.key) ? this.pieces[Number(event.key) - 1] : undefined;
    if (numbered) this.choose(numbered);
    else if (event.key === "Tab") return this.tab(event);
    else if (event.key.toLowerCase() === "r") this.rotate(event.shiftKey ? -1 : 1);
    else if (event.key.toLowerCase() === "f") this.flip();
    else if (event.key in ARROWS && this.selected) this.nudge(ARROWS[event.key]!, event.shiftKey ? FINE_STEP : STEP);
    else return;
    event.preventDefault();
  }

  // Within the board, Tab goes from piece to piece and leaves it after the last one.
  private tab(event: KeyboardEvent): void {
    if (document.activeElement !== this.settings.view.svg || !this.selected) return;
    const next = this.pieces[this.pieces.indexOf(this.selected) + (event.shiftKey ? -1 : 1)];
    if (!next) return;
    event.preventDefault();
    this.choose(next);
  }

  private nudge([dx, dy]: Point, by: number): void {
    const piece = this.selected!;
    const { x, y } = this.settings.board().pieces[piece]!;
    this.nudged = piece;
    this.settings.act({ kind: "move", piece, x: x + dx * by, y: y + dy * by });
  }

  // What keys have moved is let go when they rest: only then the figure is looked at.
  private settle(): void {
    if (this.nudged) this.settings.act({ kind: "release", piece: this.nudged });
    this.nudged = null;
  }
}

const isWriting = (target: EventTarget | null): boolean => target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
