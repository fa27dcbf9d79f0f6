// A scene of pictures that can be pressed, each where it stands (columns and rows count from 0 at the top left). Places carry meaning ("on the left"), so the scene never turns with the writing direction.
// Where pictures overlap, each is pressed within its own outline, and the nearer one is in front.

import { make } from "../../common/dom.ts";
import type { Say } from "../../common/strings.ts";
import { onPress, type Press } from "../../timing/press.ts";
import type { Flag } from "../../timing/watch.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Entity {
  id: string;
  picture?: string;
  words?: string; // an object that is a text
  caption?: string; // below the picture
  column: number;
  row: number;
  dx?: number;
  dy?: number;
  area?: readonly number[]; // the outline, x and y in turn in hundredths of the cell, where cells overlap
  name?: string;
}

export interface SceneOptions {
  pressable: boolean;
  targets?: readonly string[];
}

export interface Grid {
  columns: number;
  rows: number;
  size?: number; // of a picture, as a share of its cell
}

const STEPS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

const across = (entity: Entity): number => entity.column + (entity.dx ?? 0);
const below = (entity: Entity): number => entity.row + (entity.dy ?? 0);

// The nearest neighbour in a direction: first by distance along it, with a double price for leaving the line.
export function neighbour(from: Entity, all: readonly Entity[], key: string): Entity | null {
  const step = STEPS[key];
  if (!step) return null;
  const [dx, dy] = step;
  let best: Entity | null = null;
  let bestCost = Infinity;
  for (const other of all) {
    const [right, down] = [across(other) - across(from), below(other) - below(from)];
    const along = right * dx + down * dy;
    const aside = Math.abs(right * dy) + Math.abs(down * dx);
    const cost = along + 2 * aside;
    if (along > 0 && cost < bestCost) [best, bestCost] = [other, cost];
  }
  return best;
}

function inReadingOrder(entities: readonly Entity[]): Entity[] {
  return [...entities].sort((a, b) => a.row - b.row || a.column - b.column || below(a) - below(b) || across(a) - across(b));
}

// What stands further up is further away: near things are drawn over it.
function depths(entities: readonly Entity[]): Map<string, number> {
  const far = [...entities].sort((a, b) => below(a) - below(b) || across(a) - across(b));
  return new Map(far.map((entity, i) => [entity.id, i]));
}

// How far the outermost pictures reach beyond the grid, in cells.
function overhang(grid: Grid, entities: readonly Entity[]): number {
  return Math.max(0, ...entities.flatMap((e) => [-across(e), across(e) - grid.columns + 1, -below(e), below(e) - grid.rows + 1]));
}

function outline(area: readonly number[]): string {
  const corners = Array.from({ length: area.length / 2 }, (_, i) => `${area[2 * i]}% ${area[2 * i + 1]}%`);
  return `polygon(${corners.join(", ")})`;
}

// What a step marks: one object, or several where a description is of a group.
export function targetsOf({ target, targets }: { target?: string | null; targets?: readonly string[] }): readonly string[] {
  return targets?.length ? targets : target ? [target] : [];
}

export function missingPictures(entities: readonly Entity[], { failedPictures }: Surroundings): Flag[] {
  return entities.some((entity) => entity.picture !== undefined && failedPictures.has(entity.picture)) ? ["preload-failed"] : [];
}

// A picture above texts to choose from.
export function contextPicture(address: string, say: Say): HTMLElement {
  return make("img", { class: "context", src: address, alt: say("object", { n: 1 }), draggable: "false", decoding: "sync" });
}

export class Scene {
  readonly node: HTMLElement;
  private readonly cells = new Map<string, HTMLElement>();
  private readonly ordered: Entity[];

  constructor(grid: Grid, entities: readonly Entity[], private readonly say: Say, options: SceneOptions) {
    this.ordered = inReadingOrder(entities);
    this.node = make("div", { class: entities.length && entities.every((e) => e.words !== undefined) ? "scene texts" : "scene", role: "group", tabindex: -1, "aria-label": say("scene", { n: entities.length }), dir: "ltr" });
    const beyond = overhang(grid, entities);
    const sizes = { columns: grid.columns + 2 * beyond, rows: grid.rows + 2 * beyond, beyond, picture: grid.size ?? 1 };
    for (const [name, value] of Object.entries(sizes)) this.node.style.setProperty(`--${name}`, String(value));
    const depth = depths(entities);
    this.ordered.forEach((entity, i) => this.node.append(this.makePlace(entity, i, depth.get(entity.id)!, options)));
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

  // A point of the page in cells from the upper left corner of the grid.
  toCells(left: number, top: number): [number, number] {
    const box = this.node.getBoundingClientRect();
    const style = getComputedStyle(this.node);
    const [edge, beyond] = [this.node.clientLeft + (parseFloat(style.paddingLeft) || 0), Number(this.node.style.getPropertyValue("--beyond"))];
    const cell = (box.width - 2 * edge) / Number(this.node.style.getPropertyValue("--columns")) || 1;
    return [(left - box.left - edge) / cell - beyond, (top - box.top - edge) / cell - beyond];
  }

  cell(id: string): HTMLElement | undefined {
    return this.cells.get(id);
  }

  private makePlace(entity: Entity, i: number, depth: number, options: SceneOptions): HTMLElement {
    const marked = options.targets?.includes(entity.id) ?? false;
    const plain = entity.words ?? entity.caption ?? entity.name ?? this.say("object", { n: i + 1 });
    const name = marked ? `${plain}, ${this.say("marked")}` : plain;
    const picture = entity.picture === undefined
      ? make("span", { class: "words", dir: "auto", "aria-hidden": options.pressable ? "true" : null }, entity.words ?? "")
      : make("img", { src: entity.picture, alt: options.pressable ? "" : name, draggable: "false", decoding: "sync" });
    const cell = options.pressable
      ? make("button", { type: "button", class: "entity", "aria-label": name, "data-entity": entity.id })
      : make("div", { class: "entity", "data-entity": entity.id });
    cell.classList.toggle("marked", marked);
    if (entity.area) cell.style.clipPath = outline(entity.area);
    this.cells.set(entity.id, cell);
    // The ring follows its button: what an outline cuts off could not show that it is chosen.
    const caption = entity.caption === undefined ? null : make("span", { class: "caption", dir: "auto", "aria-hidden": options.pressable ? "true" : null }, entity.caption);
    const place = make("div", { class: caption ? "place captioned" : "place" }, picture, caption, cell, make("span", { class: "ring" }));
    place.style.setProperty("--x", String(across(entity)));
    place.style.setProperty("--y", String(below(entity)));
    place.style.zIndex = String(depth);
    return place;
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
