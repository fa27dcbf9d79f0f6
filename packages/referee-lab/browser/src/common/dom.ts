// Builds pages out of nodes: strings become text, never markup, so that a hostile description stays a description.

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

const SVG = "http://www.w3.org/2000/svg";

function furnish<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return furnish(document.createElement(tag), attributes, children);
}

export function draw<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

export function button(label: string, kind: "primary" | "quiet" | "danger" = "primary"): HTMLButtonElement {
  return make("button", { type: "button", class: `button ${kind}` }, label);
}

// For a text that is set at every frame: the page is touched only where it changes.
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

// The second click of a double click carries detail 2: it was meant for what stood there before.
export function onSingleClick(element: HTMLElement, act: (event: MouseEvent) => void): void {
  element.addEventListener("click", (event) => {
    if (event.detail <= 1) act(event);
  });
}
