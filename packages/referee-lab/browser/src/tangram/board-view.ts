// Draws the board as SVG: one group per piece that is moved, not drawn again; all pieces alike, as in REX-J (Tokunaga et al. 2010).

import { draw } from "../common/dom.ts";
import { ownPiece, PIECES, shapeOf, type Board, type Placement, type Point } from "./board.ts";

export const ARROW = "0,0 0,24 6,18 10,27 14,25 10,17 18,17";

export interface ViewOptions {
  label: string;
  numbers?: boolean;
  pieces?: readonly string[]; // the seven of the Tangram unless others are named
}

export class BoardView {
  readonly svg: SVGSVGElement;
  private readonly groups = new Map<string, SVGGElement>();
  private readonly layer = draw("g", { class: "board-pieces" });
  // Above all pieces: whatever lies over a piece, its number can be read.
  private readonly numbers = draw("g", { class: "board-numbers" });
  private readonly labels = new Map<string, SVGTextElement>();
  private readonly arrow = draw("polygon", { class: "board-cursor", points: ARROW, visibility: "hidden" });
  private order = "";

  constructor(area: readonly [number, number], options: ViewOptions) {
    for (const piece of options.pieces ?? Object.keys(PIECES)) this.layer.append(this.makePiece(piece, options));
    this.svg = draw(
      "svg", { class: "board", viewBox: `0 0 ${area[0]} ${area[1]}`, role: "group", "aria-label": options.label },
      draw("rect", { class: "board-table", width: area[0], height: area[1] }), this.layer, this.arrow, this.numbers,
    );
  }

  show(board: Board): void {
    for (const piece of board.order) this.place(piece, board.pieces[piece]!);
    const order = board.order.join(",");
    if (order === this.order) return;
    this.order = order;
    for (const piece of board.order) this.layer.append(this.groups.get(piece)!);
  }

  setCursor(point: Point | null): void {
    this.arrow.setAttribute("visibility", point ? "visible" : "hidden");
    if (point) this.arrow.setAttribute("transform", `translate(${point[0]} ${point[1]})`);
  }

  // Classes are the caller's: "selected", "held", "lit", "dim"…
  mark(name: string, pieces: readonly (string | null)[]): void {
    for (const [piece, group] of this.groups) group.classList.toggle(name, pieces.includes(piece));
  }

  group(piece: string): SVGGElement {
    return this.groups.get(piece)!;
  }

  // From a place on the screen to one on the board, and how many units a pixel is.
  locate(clientX: number, clientY: number): { point: Point; unitsPerPixel: number } {
    const box = this.svg.getBoundingClientRect();
    const [width, height] = this.svg.getAttribute("viewBox")!.split(" ").slice(2).map(Number) as [number, number];
    const unitsPerPixel = Math.max(width / box.width, height / box.height);
    const [left, top] = [box.left + (box.width - width / unitsPerPixel) / 2, box.top + (box.height - height / unitsPerPixel) / 2];
    return { point: [(clientX - left) * unitsPerPixel, (clientY - top) * unitsPerPixel], unitsPerPixel };
  }

  private makePiece(piece: string, { numbers: numbered }: ViewOptions): SVGGElement {
    const { colour, caption } = ownPiece(piece) ?? {};
    const outline = { class: "board-shape", points: shapeOf(piece).map((point) => point.join(",")).join(" ") };
    const shape = draw("g", { class: "board-turn" }, draw("polygon", colour ? { ...outline, fill: colour, "data-own": "" } : outline));
    const group = draw("g", { class: "board-piece", "data-piece": piece }, shape);
    // Of an object that is only a square, its name says what it is.
    if (caption) group.append(draw("text", { class: "board-caption", y: 38 }, caption));
    this.groups.set(piece, group);
    if (numbered) {
      const label = draw("text", { class: "board-number" }, piece);
      this.labels.set(piece, label);
      this.numbers.append(label);
    }
    return group;
  }

  private place(piece: string, { x, y, rotation, flipped }: Placement): void {
    const group = this.groups.get(piece)!;
    group.setAttribute("transform", `translate(${x} ${y})`);
    this.labels.get(piece)?.setAttribute("transform", `translate(${x} ${y})`);
    group.firstElementChild!.setAttribute("transform", `rotate(${rotation})${flipped ? " scale(-1 1)" : ""}`);
  }
}

// The silhouette alone, about its middle: `path` is the `d` that the server gives (referee_lab.tangram.game.goals.outline_path).
export function drawGoal(path: string, label: string, margin = 30): SVGSVGElement {
  const numbers = (path.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const [xs, ys] = [numbers.filter((_, i) => i % 2 === 0), numbers.filter((_, i) => i % 2 === 1)];
  const [left, top] = [Math.min(...xs) - margin, Math.min(...ys) - margin];
  const box = [left, top, Math.max(...xs) + margin - left, Math.max(...ys) + margin - top].join(" ");
  return draw("svg", { class: "goal", viewBox: box, role: "img", "aria-label": label }, draw("path", { class: "goal-shape", d: path, "fill-rule": "evenodd" }));
}

// A hint: the right place of one piece in the figure.
export function drawHint(piece: string, { x, y, rotation, flipped }: Placement): SVGGElement {
  const points = shapeOf(piece).map((point) => point.join(",")).join(" ");
  return draw("g", { class: "goal-hint", transform: `translate(${x} ${y}) rotate(${rotation})${flipped ? " scale(-1 1)" : ""}` }, draw("polygon", { points }));
}
