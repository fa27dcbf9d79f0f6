// Time as the screen has it: changes are made inside one animation frame, and what was changed counts as seen at the next one.

export interface Frames {
  now(): number;
  next(callback: (time: number) => void): void;
}

export const screenFrames: Frames = {
  now: () => performance.now(),
  next: (callback) => void requestAnimationFrame(callback),
};

export interface Onset {
  request: number;
  frame: number;
  onset: number;
}

export const LATE_MS = 50;
export const SIXTY_HERTZ_MS = 1000 / 60;

export function flip(frames: Frames, change: () => void): Promise<Onset> {
  const request = frames.now();
  return new Promise((resolve) => {
    frames.next((frame) => {
      change();
      frames.next((onset) => resolve({ request, frame, onset }));
    });
  });
}

export function isLate(onset: Onset): boolean {
  return onset.onset - onset.request > LATE_MS;
}

// Ends at the frame nearest to the wished moment: half a frame early beats half a frame late.
export function hold(frames: Frames, since: number, duration: number, interval: number): Promise<number> {
  return new Promise((resolve) => {
    const look = (time: number): void => {
      if (time - since >= duration - interval / 2) resolve(time);
      else frames.next(look);
    };
    frames.next(look);
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function collectIntervals(frames: Frames, count: number): Promise<number[]> {
  return new Promise((resolve) => {
    const times: number[] = [];
    const look = (time: number): void => {
      times.push(time);
      if (times.length <= count) frames.next(look);
      else resolve(times.slice(1).map((t, i) => t - times[i]!));
    };
    frames.next(look);
  });
}
