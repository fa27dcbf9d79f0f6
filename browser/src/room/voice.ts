// Sound in pieces of some seconds, each kept until the server has it; nothing is recorded before the person has said yes.

import { pageWaiting } from "../common/patience.ts";

const PIECE_MS = 4000;
const RETRY_MS = 2000;

export interface VoiceSettings {
  put: (chunk: number, start: number, end: number, sound: Blob) => Promise<boolean>;
  first: number; // pieces count on after a reload
}

export class Voice {
  private recorder: MediaRecorder | null = null;
  private queue: { chunk: number; start: number; end: number; sound: Blob }[] = [];
  private sending = false;
  private chunk: number;

  constructor(private readonly settings: VoiceSettings) {
    this.chunk = settings.first;
  }

  get pending(): number {
    return this.queue.length;
  }

  async begin(): Promise<boolean> {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      this.recorder = new MediaRecorder(stream, { audioBitsPerSecond: 32000 });
    } catch {
      return false; // no microphone, or none allowed: they write
    }
    let start = performance.now();
    this.recorder.ondataavailable = ({ data }) => {
      const end = performance.now();
      if (data.size) this.queue.push({ chunk: this.chunk++, start, end, sound: data });
      start = end;
      void this.send();
    };
    this.recorder.start(PIECE_MS);
    return true;
  }

  stop(): void {
    if (this.recorder?.state === "recording") this.recorder.stop();
    this.recorder?.stream.getTracks().forEach((track) => track.stop());
  }

  private async send(): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    while (this.queue.length) {
      const { chunk, start, end, sound } = this.queue[0]!;
      if (await this.settings.put(chunk, start, end, sound)) this.queue.shift();
      else await pageWaiting.sleep(RETRY_MS);
    }
    this.sending = false;
  }
}
