// The display as it is, not as it is assumed to be: frame interval measured over a second, and what the browser says about itself.

import { collectIntervals, median, type Frames } from "../timing/frames.ts";

export const CALIBRATION_FRAMES = 60;

export interface Calibration {
  frame_ms: number;
  frame_longest_ms: number;
  frames: number;
}

export async function calibrate(frames: Frames, count = CALIBRATION_FRAMES): Promise<Calibration> {
  await collectIntervals(frames, 5); // the first frames after a change of page are slow
  const intervals = await collectIntervals(frames, count);
  return { frame_ms: median(intervals), frame_longest_ms: Math.max(...intervals), frames: intervals.length };
}

export function describeClient(calibration: Calibration): Record<string, unknown> {
  return {
    ...calibration,
    device_pixel_ratio: window.devicePixelRatio,
    screen: { width: screen.width, height: screen.height },
    viewport: { width: window.innerWidth, height: window.innerHeight },
    user_agent: navigator.userAgent,
    language: navigator.language,
    touch: navigator.maxTouchPoints > 0,
    cross_origin_isolated: window.crossOriginIsolated ?? false, // Safari 15.0 does not know the word
    visibility: document.visibilityState,
  };
}
