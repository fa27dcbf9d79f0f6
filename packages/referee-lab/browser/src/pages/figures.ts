// Entry point: own goal figures, laid on the board of the game.

import { FiguresApp } from "../figures/app.ts";
import { make } from "../common/dom.ts";
import { wordsOf } from "../common/server.ts";
import { takeToken } from "../common/token.ts";

const root = document.getElementById("app");
if (root) {
  new FiguresApp(root, takeToken("referee/figures") ?? "").start().catch((error: unknown) => {
    root.replaceChildren(make("p", { class: "figure-problem", role: "alert" }, wordsOf(error)));
  });
}
