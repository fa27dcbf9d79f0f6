// Sound in pieces of some seconds, each kept until the server has it; nothing is recorded before the person has said yes. Every puzzle is a recording of its
// own, so that its pieces put together are a whole file.

import { pageWaiting } from "../common/patience.ts";

const PIECE_MS = 4000;
const RETRY_MS = 2000;

export interface SoundPiece {
  chunk: number;
  part: number; // the number of the first piece of its recording
  puzzle: number;
  start: number;
  end: number;
  sound: Blob;
}

export interface VoiceSettings {
  put: (piece: SoundPiece) => Promise<boolean>;
  first: number; // pieces count on after a reload
}

export class Voice {
  stream: MediaStream | null = null;
  private recorder: MediaRecorder | null = null;
  private puzzle: number | null = null; // the one that is being recorded
  private queue: SoundPiece[] = [];
  private sending = false;
  private chunk: number;

  constructor(private readonly settings: VoiceSettings) {
    this.chunk = settings.first;
  }

  get pending(): number {
    return this.queue.length;
  }

  // Asks the browser for the microphone; false where there is none, or it is not allowed.
  async open(): Promise<boolean> {
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch {
      return false;
    }
    return true;
  }

  // Records this puzzle: a new file, unless it is being recorded already. What was recorded of another puzzle is closed.
  record(puzzle: number): void {
    if (!this.stream || puzzle === this.puzzle) return;
    this.pause();
    this.puzzle = puzzle;
    const recorder = (this.recorder = new MediaRecorder(this.stream, { audioBitsPerSecond: 32000 }));
    let [start, part] = [performance.now(), -1];
    recorder.ondataavailable = ({ data }) => {
      const end = performance.now();
      if (data.size) {
        const chunk = this.chunk++;
        if (part < 0) part = chunk;
        this.queue.push({ chunk, part, puzzle, start, end, sound: data });
      }
      start = end;
      void this.send();
    };
    recorder.start(PIECE_MS);
  }

  // Closes the running recording and sends its last piece; the microphone stays open.
  pause(): void {
    if (this.recorder?.state === "recording") this.recorder.stop();
    this.puzzle = null;
  }

  stop(): void {
    this.pause();
    this.stream?.getTracks().forEach((track) => track.stop());
  }

  private async send(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length) {
      if (await this.settings.put(this.queue[0]!)) this.queue.shift();
      else await pageWaiting.sleep(RETRY_MS);
    }
    this.sending = false;
  }
}
