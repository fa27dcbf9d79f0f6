// Builds pages out of nodes: strings become text, never markup, so that a hostile description stays a description.

/** An element with its attributes and children; null, undefined and false are left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(Boolean));
  return element;
}

export function button(label, kind = "primary") {
  return make("button", { type: "button", class: `button ${kind}` }, label);
}

/** The JSON that the local server of `referee view` returns; an Error with the server's own message otherwise. */
export async function askServer(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(path, { cache: "no-store", ...options });
  const answer = await reply.json().catch(() => null);
  if (reply.ok && answer) return answer;
  throw new Error(answer?.message || `The server answered ${reply.status}.`);
}

export const messageOf = (error) => (error instanceof Error ? error.message : String(error));
