// Notices what may spoil a time: a hidden page, a lost focus, a zoom, a frame that took too long. It flags; the study's rules decide.

import { LATE_MS, type Frames } from "./frames.ts";

export type Flag = "hidden" | "blur" | "late-onset" | "long-frame" | "preload-failed" | "zoom" | "untrusted";

export const INTERRUPTION = "referee:interruption";

export class Watch {
  private readonly seen = new Set<Flag>();
  private readonly stopping = new AbortController();
  private deadline: { time: number; act: () => void } | null = null;
  private last: number | null = null;

  constructor(private readonly frames: Frames) {
    const { signal } = this.stopping;
    const ratio = window.devicePixelRatio;
    const scale = window.visualViewport?.scale ?? 1;
    document.addEventListener("visibilitychange", () => this.noteHidden(), { signal });
    document.addEventListener(INTERRUPTION, () => this.note("blur"), { signal });
    window.addEventListener("blur", () => this.note("blur"), { signal });
    const compare = (): void => {
      if (window.devicePixelRatio !== ratio || (window.visualViewport?.scale ?? 1) !== scale) this.note("zoom");
    };
    window.addEventListener("resize", compare, { signal });
    window.visualViewport?.addEventListener("resize", compare, { signal });
    this.noteHidden();
    frames.next(this.look);
  }

  note(flag: Flag): void {
    this.seen.add(flag);
  }

  // The deadline falls on the first frame at or after its time, seen by the same clock as everything else.
  setDeadline(time: number, act: () => void): void {
    this.deadline = { time, act };
  }

  clearDeadline(): void {
    this.deadline = null;
  }

  stop(): Flag[] {
    this.stopping.abort();
    return [...this.seen].sort();
  }

  private noteHidden(): void {
    if (document.visibilityState !== "hidden") return;
    this.note("hidden");
    this.last = null;
  }

  private readonly look = (time: number): void => {
    if (this.stopping.signal.aborted) return;
    if (this.last !== null && time - this.last > LATE_MS) this.note("long-frame");
    this.last = time;
    const due = this.deadline;
    if (due && time >= due.time) {
      this.deadline = null;
      due.act();
    }
    this.frames.next(this.look);
  };
}
