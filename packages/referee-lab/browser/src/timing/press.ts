// One press of a person, by mouse, finger, pen or key, with the time at which the machine got it (not the time at which we heard of it).

export type Pointer = "mouse" | "touch" | "pen" | "keyboard";

export interface Press {
  time: number;
  handled: number;
  pointer: Pointer;
  trusted: boolean;
}

// Within this time a second press is the other half of a double click.
const BOUNCE_MS = 250;
// A click that follows no press comes from assistive technology.
const OWN_CLICK_MS = 1000;

let lastDown = -Infinity;
let lastDownBefore = -Infinity;

function noteDown(event: Event): void {
  lastDownBefore = lastDown;
  lastDown = event.timeStamp;
}

if (typeof window !== "undefined") window.addEventListener("pointerdown", noteDown, { capture: true });

export function pressOf(event: Event, pointer: Pointer): Press {
  return { time: event.timeStamp, handled: performance.now(), pointer, trusted: event.isTrusted };
}

export function pointerOf(event: PointerEvent): Pointer {
  return event.pointerType === "touch" || event.pointerType === "pen" ? event.pointerType : "mouse";
}

export function isPressKey(event: KeyboardEvent): boolean {
  return (event.key === "Enter" || event.key === " ") && !event.repeat && !event.ctrlKey && !event.altKey && !event.metaKey;
}

// `quick` presses may follow each other as fast as fingers can, as in reading word by word.
export function onPress(element: HTMLElement, act: (press: Press) => void, signal: AbortSignal, quick = false): void {
  let own = -Infinity;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    own = event.timeStamp;
    if (quick || event.timeStamp - lastDownBefore >= BOUNCE_MS) act(pressOf(event, pointerOf(event)));
  }, { signal });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    own = event.timeStamp;
    if (isPressKey(event)) act(pressOf(event, "keyboard"));
  }, { signal });
  element.addEventListener("click", (event) => {
    if (event.timeStamp - own > OWN_CLICK_MS) act(pressOf(event, "keyboard"));
  }, { signal });
}

// Space or Enter anywhere on the page, as in reading at one's own pace.
export function onAnyKey(act: (press: Press) => void, signal: AbortSignal): void {
  document.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLElement && event.target.closest("button, a, input, textarea, select, dialog")) return;
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (isPressKey(event)) act(pressOf(event, "keyboard"));
  }, { signal });
}
