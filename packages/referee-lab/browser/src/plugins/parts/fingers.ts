// Fingers and pens on a picture: a tap answers, one finger moves the picture, two enlarge it. A mouse is not asked here, it has wheel and buttons.

export interface Moves {
  pan: ((dx: number, dy: number) => void) | null; // null where one finger draws
  grip: (x: number, y: number) => void; // two fingers have come down around a place
  pinch: (by: number, x: number, y: number) => void; // since then: so many times as far apart, around this place now
}

interface Place {
  x: number;
  y: number;
}

const SLOP = 10; // CSS pixels that a tap may wander

export class Fingers {
  several = false; // since the first finger came down
  tapped = false; // whether what ended last was a tap
  private readonly down = new Map<number, Place>();
  private start = { x: 0, y: 0 };
  private wandered = false;
  private span = 0;

  constructor(node: HTMLElement, private readonly moves: Moves) {
    node.addEventListener("pointerdown", (event) => this.press(event));
    node.addEventListener("pointermove", (event) => this.move(event));
    node.addEventListener("pointerup", (event) => this.lift(event, true));
    node.addEventListener("pointercancel", (event) => this.lift(event, false));
  }

  private press(event: PointerEvent): void {
    this.tapped = false;
    if (event.pointerType === "mouse") return;
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.down.size === 1) {
      this.start = { x: event.clientX, y: event.clientY };
      this.several = this.wandered = false;
    } else {
      this.several = true;
      const [one, other] = [...this.down.values()] as [Place, Place];
      this.span = apart(one, other);
      this.moves.grip((one.x + other.x) / 2, (one.y + other.y) / 2);
    }
  }

  private move(event: PointerEvent): void {
    const before = this.down.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.down].find(([id]) => id !== event.pointerId)?.[1];
    this.down.set(event.pointerId, now);
    if (other) {
      if (this.span > 0) this.moves.pinch(apart(now, other) / this.span, (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (this.wandered || apart(now, this.start) > SLOP) {
      this.wandered = true;
      if (!this.several) this.moves.pan?.(now.x - before.x, now.y - before.y);
    }
  }

  private lift(event: PointerEvent, whole: boolean): void {
    if (!this.down.delete(event.pointerId)) return;
    this.tapped = whole && !this.several && !this.wandered;
  }
}

function apart(one: Place, other: Place): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
