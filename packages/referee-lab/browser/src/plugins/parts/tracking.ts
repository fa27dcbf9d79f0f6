// The pointer's path over a scene, in cells, from the scene's onset on: seen at most every few milliseconds, and never more points than the server takes.

import type { Scene } from "./scene.ts";

const EVERY_MS = 15;
const MOST_POINTS = 500;

export interface Path {
  path_ms: number[];
  path_x: number[];
  path_y: number[];
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

export class Track {
  private points: [number, number, number][] = [];
  private every = EVERY_MS;
  private readonly stopping = new AbortController();

  constructor(private readonly scene: Scene, private readonly onset: number) {
    const { signal } = this.stopping;
    for (const kind of ["pointermove", "pointerdown"] as const) window.addEventListener(kind, (event) => this.see(event), { signal, capture: true });
  }

  // A long search is kept whole, more coarsely: every other point is let go when there are too many.
  private see(event: PointerEvent): void {
    const time = event.timeStamp - this.onset;
    const last = this.points.at(-1)?.[0] ?? -Infinity;
    if (time < 0 || (time - last < this.every && event.type !== "pointerdown")) return;
    this.points.push([time, ...this.scene.toCells(event.clientX, event.clientY)]);
    if (this.points.length < MOST_POINTS) return;
    this.points = this.points.filter((_, i) => i % 2 === 0);
    this.every *= 2;
  }

  stop(): Path {
    this.stopping.abort();
    return { path_ms: this.points.map(([t]) => rounded(t, 2)), path_x: this.points.map(([, x]) => rounded(x, 4)), path_y: this.points.map(([, , y]) => rounded(y, 4)) };
  }
}
