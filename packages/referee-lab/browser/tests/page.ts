// A page for tests that run in Node: jsdom's window with animation frames, and a database that lives in memory.

import "fake-indexeddb/auto";
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!doctype html><html><body></body></html>", { url: "https://study.example/s/demo/", pretendToBeVisual: true });
const NAMES = [
  "window", "document", "Node", "Element", "HTMLElement", "HTMLInputElement", "HTMLTextAreaElement", "HTMLSelectElement", "HTMLButtonElement", "SVGElement", "Event", "InputEvent",
  "KeyboardEvent", "PointerEvent", "MouseEvent", "CustomEvent", "DOMParser", "location", "history", "localStorage", "sessionStorage", "requestAnimationFrame", "getComputedStyle",
  "MutationObserver", "AbortController", "AbortSignal", "EventTarget", "Image", "screen",
];
for (const name of NAMES) {
  Object.defineProperty(globalThis, name, { value: (window as unknown as Record<string, unknown>)[name], configurable: true, writable: true });
}

// One clock for frames, events and the page, as in a browser; jsdom's own counts from another moment than Node's.
const stamped = new WeakMap<object, number>();
Object.defineProperty(window.Event.prototype, "timeStamp", {
  get(this: object): number {
    if (!stamped.has(this)) stamped.set(this, performance.now());
    return stamped.get(this)!;
  },
});
globalThis.requestAnimationFrame = (callback) => window.requestAnimationFrame(() => callback(performance.now()));
