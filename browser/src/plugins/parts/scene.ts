// A scene as a grid of pictures that can be pressed (columns and rows count from 0 at the top left). Places carry meaning ("on the left"), so the grid never turns with the writing direction.

import { make } from "../../common/dom.ts";
import type { Say } from "../../common/strings.ts";
import { onPress, type Press } from "../../timing/press.ts";
import type { Flag } from "../../timing/watch.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Entity {
  id: string;
  picture: string;
  column: number;
  row: number;
  dx?: number;
  dy?: number;
  name?: string;
}

export interface SceneOptions {
  pressable: boolean;
  targets?: readonly string[];
}

export interface Grid {
  columns: number;
  rows: number;
}

const STEPS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

// The nearest neighbour in a direction: first by distance along it, with a double price for leaving the line.
export function neighbour(from: Entity, all: readonly Entity[], key: string): Entity | null {
  const step = STEPS[key];
  if (!step) return null;
  const [dx, dy] = step;
  let best: Entity | null = null;
  let bestCost = Infinity;
  for (const other of all) {
    const along = (other.column - from.column) * dx + (other.row - from.row) * dy;
    const aside = Math.abs((other.column - from.column) * dy) + Math.abs((other.row - from.row) * dx);
    const cost = along + 2 * aside;
    if (along > 0 && cost < bestCost) [best, bestCost] = [other, cost];
  }
  return best;
}

function inReadingOrder(entities: readonly Entity[]): Entity[] {
  return [...entities].sort((a, b) => a.row - b.row || a.column - b.column);
}

// What a step marks: one object, or several where a description is of a group.
export function targetsOf({ target, targets }: { target?: string | null; targets?: readonly string[] }): readonly string[] {
  return targets?.length ? targets : target ? [target] : [];
}

export function missingPictures(entities: readonly Entity[], { failedPictures }: Surroundings): Flag[] {
  return entities.some((entity) => failedPictures.has(entity.picture)) ? ["preload-failed"] : [];
}

export class Scene {
  readonly node: HTMLElement;
  private readonly cells = new Map<string, HTMLElement>();
  private readonly ordered: Entity[];

  constructor(grid: Grid, entities: readonly Entity[], private readonly say: Say, options: SceneOptions) {
    this.ordered = inReadingOrder(entities);
    this.node = make("div", { class: "scene", role: "group", tabindex: -1, "aria-label": say("scene", { n: entities.length }), dir: "ltr" });
    this.node.style.setProperty("--columns", String(grid.columns));
    this.node.style.setProperty("--rows", String(grid.rows));
    this.ordered.forEach((entity, i) => this.node.append(this.makeCell(entity, i, options)));
    if (options.pressable) this.node.addEventListener("keydown", this.walk);
  }

  onChoice(act: (id: string, press: Press) => void, signal: AbortSignal): void {
    for (const [id, cell] of this.cells) onPress(cell, (press) => act(id, press), signal);
  }

  mark(id: string | null): void {
    for (const [other, cell] of this.cells) {
      cell.classList.toggle("chosen", other === id);
      cell.setAttribute("aria-pressed", String(other === id));
    }
  }

  cell(id: string): HTMLElement | undefined {
    return this.cells.get(id);
  }

  private makeCell(entity: Entity, i: number, options: SceneOptions): HTMLElement {
    const marked = options.targets?.includes(entity.id) ?? false;
    const plain = entity.name ?? this.say("object", { n: i + 1 });
    const name = marked ? `${plain}, ${this.say("marked")}` : plain;
    const picture = make("img", { src: entity.picture, alt: options.pressable ? "" : name, draggable: "false", decoding: "sync" });
    const cell = options.pressable
      ? make("button", { type: "button", class: "entity", "aria-label": name, "data-entity": entity.id }, picture)
      : make("div", { class: "entity", "data-entity": entity.id }, picture);
    cell.classList.toggle("marked", marked);
    cell.style.gridColumn = String(entity.column + 1);
    cell.style.gridRow = String(entity.row + 1);
    picture.style.translate = `${(entity.dx ?? 0) * 100}% ${(entity.dy ?? 0) * 100}%`;
    this.cells.set(entity.id, cell);
    return cell;
  }

  // The first arrow enters the scene; Tab goes through the objects in reading order.
  private readonly walk = (event: KeyboardEvent): void => {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    const current = this.ordered.find((entity) => this.cells.get(entity.id) === document.activeElement);
    const next = current ? neighbour(current, this.ordered, event.key) : this.ordered[0];
    if (!next) return;
    this.cells.get(next.id)?.focus();
  };
}
