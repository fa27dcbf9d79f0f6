// Entry point: the annotator's desk.

import { AnnotatorApp } from "../annotator/app.ts";
import { make } from "../common/dom.ts";
import { wordsOf } from "../common/server.ts";
import { takeToken } from "../common/token.ts";

const root = document.getElementById("app");
if (root) {
  new AnnotatorApp(root, takeToken("referee/desk") ?? "").start().catch((error: unknown) => {
    root.replaceChildren(make("p", { class: "keys-help", role: "alert" }, wordsOf(error)));
  });
}
