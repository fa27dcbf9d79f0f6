// Entry point: the annotator's desk. The token stands after the # of the link, which browsers do not send.

import { AnnotatorApp } from "./annotator/app.ts";
import { make } from "./dom.ts";

const root = document.getElementById("app");
const token = location.hash.slice(1) || (sessionStorage.getItem("referee-desk") ?? "");
if (location.hash) {
  sessionStorage.setItem("referee-desk", token);
  history.replaceState(null, "", location.pathname);
}
if (root) {
  new AnnotatorApp(root, token).start().catch((error: unknown) => {
    root.replaceChildren(make("p", { class: "keys-help", role: "alert" }, error instanceof Error ? error.message : String(error)));
  });
}
