import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { applyChange, canonical, corners, pieceAt, pieceNear, putPiece, type Board, type Change } from "../src/tangram/board.ts";
import { hashOf, sha256 } from "../src/tangram/board-hash.ts";
import { BoardView, drawGoal } from "../src/tangram/board-view.ts";

interface Walk {
  board: Board;
  steps: { change: Change; hash: string; corners: [number, number][] }[];
  points: { x: number; y: number; piece: string | null }[];
}
// Made by the Python board (tests/dialogue/test_board_in_typescript.py says how, and that it still holds).
const walk = JSON.parse(readFileSync(new URL("./tangram-walk.json", import.meta.url), "utf8")) as Walk;
const pentominoes = JSON.parse(readFileSync(new URL("./pentomino-walk.json", import.meta.url), "utf8")) as Walk;

test("the hash is SHA-256 for texts of every length around a block", () => {
  for (let length = 0; length < 200; length++) {
    const text = "7:1050,2000,90,1;".repeat(12).slice(0, length);
    assert.equal(sha256(text), createHash("sha256").update(text).digest("hex"));
  }
});

test("pentominoes lie where Python has them, their bays included", () => {
  let board = pentominoes.board;
  for (const { change, hash } of pentominoes.steps) {
    board = applyChange(board, change);
    assert.equal(hashOf(board), hash);
  }
  for (const { x, y, piece } of pentominoes.points) assert.equal(pieceAt(pentominoes.board, x, y), piece);
});

test("a walk over the board reaches the hashes and corners that Python reached", () => {
  let board = walk.board;
  for (const { change, hash, corners: expected } of walk.steps) {
    board = applyChange(board, change);
    assert.equal(hashOf(board), hash);
    corners(change.piece, board.pieces[change.piece]!).forEach(([x, y], i) => {
      assert.ok(Math.hypot(x - expected[i]![0], y - expected[i]![1]) < 1e-6);
    });
  }
});

test("the piece under a point is the one that Python finds", () => {
  for (const { x, y, piece } of walk.points) assert.equal(pieceAt(walk.board, x, y), piece);
  assert.ok(new Set(walk.points.map((point) => point.piece)).size > 5);
});

test("a finger beside a piece takes it and one far away takes none", () => {
  const { x, y } = walk.board.pieces["6"]!;
  const alone = ["1", "2", "3", "4", "5", "7"].reduce((board, piece) => putPiece(board, piece, { x: 1100, y: 700, rotation: 0, flipped: false }), walk.board);
  const placed = putPiece(alone, "6", { x, y, rotation: 0, flipped: false });
  assert.equal(pieceAt(placed, x + 60, y), null);
  assert.equal(pieceNear(placed, x + 60, y, 20), "6");
  assert.equal(pieceNear(placed, x + 80, y, 20), null);
});

test("a repeated change changes nothing", () => {
  const change: Change = { kind: "move", piece: "3", x: 10.005, y: -4 };
  const once = applyChange(walk.board, change);
  assert.equal(canonical(applyChange(once, change)), canonical(once));
  assert.equal(once.pieces["3"]!.y, 0);
});

test("the view puts pieces where they are, the last one on top, and shows the cursor only where there is one", () => {
  const view = new BoardView(walk.board.area, { label: "board", numbers: true });
  assert.equal(view.svg.lastElementChild!.getAttribute("class"), "board-numbers"); // over pieces and cursor alike
  const board = applyChange(walk.board, { kind: "flip", piece: "7", x: 300, y: 200, rotation: 90, flipped: true });
  view.show(board);
  const last = view.svg.querySelectorAll("[data-piece]")[6]!;
  assert.equal(last.getAttribute("data-piece"), "7");
  assert.equal(last.getAttribute("transform"), "translate(300 200)");
  assert.equal(last.firstElementChild!.getAttribute("transform"), "rotate(90) scale(-1 1)");
  const cursor = view.svg.querySelector(".board-cursor")!;
  assert.equal(cursor.getAttribute("visibility"), "hidden");
  view.setCursor([5, 6]);
  assert.equal(cursor.getAttribute("visibility"), "visible");
  assert.equal(cursor.getAttribute("transform"), "translate(5 6)");
});

test("a goal is drawn with room around it", () => {
  const goal = drawGoal("M-100.00,-50.50 L100.00,-50.50 L0.00,80.00 Z", "goal");
  assert.equal(goal.getAttribute("viewBox"), "-130 -80.5 260 190.5");
});
