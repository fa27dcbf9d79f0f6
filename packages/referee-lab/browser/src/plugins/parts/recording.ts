// A field for a description that is spoken: record, stop, hear it, record again. The last recording is the answer, as a data URL.

import { button, make, onSingleClick } from "../../common/dom.ts";
import type { Surroundings } from "./surroundings.ts";

// The server takes 180 kB (`production.MOST_BYTES`); browsers keep to a rate about.
const MOST_BYTES = 180_000;
const MOST_RATE = 24_000;

export interface Recording {
  node: HTMLElement;
  value(): string | null;
  begun(): number | null; // when the first recording began, on the page's clock
  count(): number;
  close(): void;
}

export function makeRecording(seconds: number, say: Surroundings["say"], change: () => void): Recording {
  const start = button(say("record_start"));
  const stop = button(say("record_stop"), "danger");
  const note = make("p", { class: "question", role: "status" });
  const sound = make("audio", { controls: true, hidden: true });
  const node = make("div", { class: "recording" }, start, stop, note, sound);
  let [value, begun, count]: [string | null, number | null, number] = [null, null, 0];
  let stream: MediaStream | null = null;
  let recorder: MediaRecorder | null = null;
  stop.hidden = true;

  const finish = async (parts: Blob[], type: string): Promise<void> => {
    const whole = new Blob(parts, { type });
    const fits = whole.size > 0 && whole.size <= MOST_BYTES;
    value = fits ? await asDataUrl(whole) : null;
    [start.hidden, stop.hidden, sound.hidden] = [false, true, !fits];
    start.textContent = say("record_again");
    note.textContent = fits ? "" : say("record_failed");
    if (fits) sound.src = URL.createObjectURL(whole);
    change();
  };

  const record = async (): Promise<void> => {
    start.disabled = true;
    try {
      stream ??= await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch {
      note.textContent = say("record_none");
      start.disabled = false;
      return;
    }
    const parts: Blob[] = [];
    const rate = Math.min(MOST_RATE, Math.floor((MOST_BYTES * 7) / seconds));
    const running = (recorder = new MediaRecorder(stream, { audioBitsPerSecond: rate }));
    running.ondataavailable = ({ data }) => parts.push(data);
    // Its type is known once it has begun.
    running.onstop = () => void finish(parts, running.mimeType.split(";")[0]!);
    value = null;
    count += 1;
    begun ??= performance.now();
    running.start();
    setTimeout(() => running.state === "recording" && running.stop(), seconds * 1000);
    [start.disabled, start.hidden, stop.hidden, sound.hidden] = [false, true, false, true];
    note.textContent = say("record_on");
    stop.focus();
    change();
  };

  onSingleClick(start, () => void record());
  onSingleClick(stop, () => recorder?.state === "recording" && recorder.stop());
  return {
    node,
    value: () => value,
    begun: () => begun,
    count: () => count,
    close: () => stream?.getTracks().forEach((track) => track.stop()),
  };
}

function asDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string); // of a data URL
    reader.onerror = () => reject(reader.error ?? new Error("the recording cannot be read"));
    reader.readAsDataURL(blob);
  });
}
