// Shows the organiser's Markdown, which the server has made HTML: only elements of prose are let through, whatever the source says.

const ALLOWED: Record<string, readonly string[]> = {
  A: ["href", "title"], ABBR: ["title"], B: [], BLOCKQUOTE: [], BR: [], CODE: [], DEL: [], DL: [], DD: [], DT: [], EM: [], H1: [], H2: [], H3: [], H4: [], HR: [], I: [],
  IMG: ["src", "alt", "width", "height"], LI: [], OL: ["start"], P: [], PRE: [], S: [], STRONG: [], SUB: [], SUP: [], TABLE: [], TBODY: [], TD: [], TH: ["scope"], THEAD: [],
  TR: [], U: [], UL: [],
};
const DROPPED = new Set(["SCRIPT", "STYLE", "TEMPLATE", "IFRAME", "OBJECT", "EMBED", "NOSCRIPT", "TEXTAREA", "TITLE"]);

function harmless(name: string, value: string): boolean {
  if (name === "href") return /^(https?:|mailto:|#)/i.test(value.trim());
  if (name === "src") return /^\/(?!\/)/.test(value.trim());
  return true;
}

function copyOf(element: Element): Element {
  const copy = document.createElement(element.tagName);
  for (const name of ALLOWED[element.tagName] ?? []) {
    const value = element.getAttribute(name);
    if (value !== null && harmless(name, value)) copy.setAttribute(name, value);
  }
  if (element.tagName === "A") {
    copy.setAttribute("target", "_blank");
    copy.setAttribute("rel", "noopener noreferrer");
  }
  return copy;
}

function copyChildren(source: Node, target: Node): void {
  for (const node of source.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) target.appendChild(document.createTextNode(node.textContent ?? ""));
    if (!(node instanceof Element) || DROPPED.has(node.tagName)) continue;
    const inner = node.tagName in ALLOWED ? target.appendChild(copyOf(node)) : target;
    copyChildren(node, inner);
  }
}

export function prose(html: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  copyChildren(new DOMParser().parseFromString(html, "text/html").body, fragment);
  return fragment;
}
