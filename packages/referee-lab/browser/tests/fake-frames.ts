// A screen whose frames come when the test says so.

import type { Frames } from "../src/timing/frames.ts";

export class FakeFrames implements Frames {
  private time = 0;
  private count = 0;
  private waiting: ((time: number) => void)[] = [];
  private readonly delays = new Map<number, number>();

  constructor(private readonly interval: number) {}

  now(): number {
    return this.time;
  }

  next(callback: (time: number) => void): void {
    this.waiting.push(callback);
  }

  // The given frame comes later than it should.
  delay(frame: number, by: number): void {
    this.delays.set(frame, by);
  }

  async run(frames: number): Promise<void> {
    for (let i = 0; i < frames; i++) {
      this.time += this.interval + (this.delays.get(this.count) ?? 0);
      this.count += 1;
      const due = this.waiting;
      this.waiting = [];
      due.forEach((callback) => callback(this.time));
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
  }
}
