// The Tangram board as pure data: a mirror of referee_lab.tangram.game.board, whose docstring is the contract for everything here.

export interface Placement {
  x: number;
  y: number;
  rotation: number;
  flipped: boolean;
}

export interface Board {
  pieces: Readonly<Record<string, Placement>>;
  order: readonly string[];
  step: number;
  area: readonly [number, number];
  own?: Readonly<Record<string, OwnPiece>>;
}

// A piece of somebody's own (referee_lab.tangram.game.own_pieces): it comes with every board on which it lies.
export interface OwnPiece {
  name: string;
  colour: string;
  colour_word: string;
  corners: readonly Point[];
  caption?: string;
}

export interface Change {
  kind: "grab" | "move" | "rotate" | "flip" | "release";
  piece: string;
  x?: number | null;
  y?: number | null;
  rotation?: number | null;
  flipped?: boolean | null;
}

export type Point = readonly [number, number];

export const UNIT = 100;
export const AREA: readonly [number, number] = [1200, 800];

function triangle(leg: number): Point[] {
  const height = leg / Math.SQRT2;
  return [[0, (-2 * height) / 3], [height, height / 3], [-height, height / 3]];
}

export const SHAPES: Readonly<Record<string, readonly Point[]>> = {
  "large triangle": triangle(2 * UNIT),
  "medium triangle": triangle(Math.SQRT2 * UNIT),
  "small triangle": triangle(UNIT),
  "square": [[-UNIT / 2, -UNIT / 2], [UNIT / 2, -UNIT / 2], [UNIT / 2, UNIT / 2], [-UNIT / 2, UNIT / 2]],
  "parallelogram": [[-UNIT, -UNIT / 2], [0, -UNIT / 2], [UNIT, UNIT / 2], [0, UNIT / 2]],
  // Pentominoes: five squares of 40 units.
  "F": [[-20, -52], [-20, -12], [-60, -12], [-60, 28], [-20, 28], [-20, 68], [20, 68], [20, -12], [60, -12], [60, -52]],
  "I": [[-20, -100], [-20, 100], [20, 100], [20, -100]],
  "L": [[-28, -92], [-28, 68], [52, 68], [52, 28], [12, 28], [12, -92]],
  "N": [[-4, -84], [-4, -4], [-44, -4], [-44, 76], [-4, 76], [-4, 36], [36, 36], [36, -84]],
  "P": [[-36, -52], [-36, 68], [4, 68], [4, 28], [44, 28], [44, -52]],
  "T": [[-60, -44], [-60, -4], [-20, -4], [-20, 76], [20, 76], [20, -4], [60, -4], [60, -44]],
  "U": [[-60, -44], [-60, 36], [60, 36], [60, -44], [20, -44], [20, -4], [-20, -4], [-20, -44]],
  "V": [[-44, -76], [-44, 44], [76, 44], [76, 4], [-4, 4], [-4, -76]],
  "W": [[-52, -68], [-52, 12], [-12, 12], [-12, 52], [68, 52], [68, 12], [28, 12], [28, -28], [-12, -28], [-12, -68]],
  "X": [[-20, -60], [-20, -20], [-60, -20], [-60, 20], [-20, 20], [-20, 60], [20, 60], [20, 20], [60, 20], [60, -20], [20, -20], [20, -60]],
  "Y": [[-12, -76], [-12, -36], [-52, -36], [-52, 4], [-12, 4], [-12, 84], [28, 84], [28, -76]],
  "Z": [[-60, -60], [-60, -20], [-20, -20], [-20, 60], [60, 60], [60, 20], [20, 20], [20, -60]],
};

export const PIECES: Readonly<Record<string, string>> = {
  "1": "large triangle", "2": "large triangle", "3": "medium triangle", "4": "small triangle", "5": "small triangle", "6": "square", "7": "parallelogram",
};
// Every piece of any set has a number of its own, which alone says what it looks like (referee_lab.tangram.game.piece_sets).
const PENTOMINOES = Object.fromEntries("F I L N P T U V W X Y Z".split(" ").map((letter, i) => [String(11 + i), letter]));
const ALL_PIECES: Readonly<Record<string, string>> = { ...PIECES, ...PENTOMINOES };

const known: Record<string, OwnPiece> = {};

// A board's own pieces come first: a dialogue without positions numbers its pieces as it likes.
export const kindOf = (piece: string): string => known[piece]?.name ?? ALL_PIECES[piece] ?? piece;
export const ownPiece = (piece: string): OwnPiece | undefined => known[piece];

// The pieces of a board in order of their numbers; own ones are known from then on.
export function piecesOn(board: Board): string[] {
  for (const piece of Object.keys(board.pieces)) if (piece in ALL_PIECES) delete known[piece];
  Object.assign(known, board.own);
  return Object.keys(board.pieces).sort((a, b) => Number(a) - Number(b));
}

export const hundredths = (value: number): number => Math.round(value * 100) / 100;

const between = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

export function shapeOf(piece: string): readonly Point[] {
  return known[piece]?.corners ?? SHAPES[kindOf(piece)]!;
}

export function corners(piece: string, { x, y, rotation, flipped }: Placement): Point[] {
  const angle = (rotation * Math.PI) / 180;
  const [cos, sin, sign] = [Math.cos(angle), Math.sin(angle), flipped ? -1 : 1];
  return shapeOf(piece).map(([a, b]) => [x + sign * a * cos - b * sin, y + sign * a * sin + b * cos] as const);
}

export function putPiece(board: Board, piece: string, { x, y, rotation, flipped }: Placement): Board {
  const order = board.order.at(-1) === piece ? board.order : [...board.order.filter((other) => other !== piece), piece];
  return { ...board, pieces: { ...board.pieces, [piece]: { x, y, rotation, flipped } }, order };
}

export function applyChange(board: Board, change: Change): Board {
  const old = board.pieces[change.piece]!;
  const turned = change.rotation == null ? old.rotation : board.step * Math.floor(change.rotation / board.step + 0.5);
  return putPiece(board, change.piece, {
    x: hundredths(between(change.x ?? old.x, 0, board.area[0])),
    y: hundredths(between(change.y ?? old.y, 0, board.area[1])),
    rotation: ((turned % 360) + 360) % 360,
    flipped: change.flipped ?? old.flipped,
  });
}

// A polygon of any form, its edge included.
function covers(points: readonly Point[], x: number, y: number): boolean {
  let within = false;
  for (const [i, [ax, ay]] of points.entries()) {
    const [bx, by] = points[(i + 1) % points.length]!;
    const turn = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    if (turn === 0 && Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by)) return true;
    // A line to the right crosses this side: each crossing changes sides.
    if (ay > y !== by > y && turn < 0 === by < ay) within = !within;
  }
  return within;
}

function distanceToEdge([ax, ay]: Point, [bx, by]: Point, x: number, y: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = between(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1);
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

// The top-most piece under a point, its edge included.
export function pieceAt(board: Board, x: number, y: number): string | null {
  return [...board.order].reverse().find((piece) => covers(corners(piece, board.pieces[piece]!), x, y)) ?? null;
}

// For fingers, which are thicker than a point: the piece under it, else the nearest one within reach.
export function pieceNear(board: Board, x: number, y: number, reach: number): string | null {
  const exact = pieceAt(board, x, y);
  if (exact !== null || reach <= 0) return exact;
  let [found, best]: [string | null, number] = [null, reach];
  for (const piece of board.order) {
    const points = corners(piece, board.pieces[piece]!);
    const distance = Math.min(...points.map((point, i) => distanceToEdge(point, points[(i + 1) % points.length]!, x, y)));
    if (distance <= best) [found, best] = [piece, distance];
  }
  return found;
}

export function canonical(board: Board): string {
  const whole = (value: number): number => Math.round(value * 100);
  const rows = Object.keys(board.pieces).sort().map((id) => {
    const { x, y, rotation, flipped } = board.pieces[id]!;
    return `${id}:${whole(x)},${whole(y)},${rotation},${flipped ? 1 : 0}`;
  });
  return `${rows.join(";")}|${board.order.join(",")}`;
}
