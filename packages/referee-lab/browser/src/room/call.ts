// Partners hear each other: one peer connection between every two pages, signalled over the room's socket. Losses and jitter are told to the server.

export interface Signal {
  description?: RTCSessionDescriptionInit;
  candidate?: RTCIceCandidateInit | null;
}

export interface CallSettings {
  servers: RTCIceServer[];
  polite: boolean; // of two offers at once, the polite side gives way
  signal: (signal: Signal) => void;
  measured: (facts: Record<string, number | string>) => void;
  play: (stream: MediaStream) => void;
}

const MEASURE_MS = 5000;

export class Call {
  private readonly peer: RTCPeerConnection;
  private offering = false;
  private ignoring = false;
  private readonly measuring: ReturnType<typeof setInterval>;

  constructor(private readonly settings: CallSettings) {
    this.peer = new RTCPeerConnection({ iceServers: settings.servers });
    this.peer.onnegotiationneeded = () => void this.offer();
    this.peer.onicecandidate = ({ candidate }) => settings.signal({ candidate: candidate?.toJSON() ?? null });
    this.peer.ontrack = ({ track, streams }) => settings.play(streams[0] ?? new MediaStream([track]));
    this.peer.onconnectionstatechange = () => {
      if (this.peer.connectionState === "failed") this.peer.restartIce();
    };
    this.measuring = setInterval(() => void this.measure(), MEASURE_MS);
  }

  speak(stream: MediaStream): void {
    for (const track of stream.getAudioTracks()) this.peer.addTrack(track, stream);
  }

  async take({ description, candidate }: Signal): Promise<void> {
    try {
      if (description) await this.takeDescription(description);
      else if (candidate) await this.peer.addIceCandidate(candidate);
    } catch {
      // A candidate for an offer that was passed over has nowhere to go.
    }
  }

  stop(): void {
    clearInterval(this.measuring);
    this.peer.close();
  }

  private async offer(): Promise<void> {
    try {
      this.offering = true;
      await this.peer.setLocalDescription();
      this.settings.signal({ description: this.peer.localDescription!.toJSON() });
    } finally {
      this.offering = false;
    }
  }

  private async takeDescription(description: RTCSessionDescriptionInit): Promise<void> {
    const clash = description.type === "offer" && (this.offering || this.peer.signalingState !== "stable");
    this.ignoring = !this.settings.polite && clash;
    if (this.ignoring) return;
    await this.peer.setRemoteDescription(description);
    if (description.type !== "offer") return;
    await this.peer.setLocalDescription();
    this.settings.signal({ description: this.peer.localDescription!.toJSON() });
  }

  private async measure(): Promise<void> {
    if (this.peer.connectionState !== "connected") return;
    const facts: Record<string, number | string> = { state: this.peer.connectionState };
    for (const report of (await this.peer.getStats()).values() as Iterable<Record<string, unknown>>) {
      if (report.type !== "inbound-rtp" || report.kind !== "audio") continue;
      Object.assign(facts, { lost: Number(report.packetsLost ?? 0), received: Number(report.packetsReceived ?? 0), jitter_ms: 1000 * Number(report.jitter ?? 0) });
    }
    this.settings.measured(facts);
  }
}
