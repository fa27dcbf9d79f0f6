// Entry point: the page of a participant.

import { App } from "../participant/app.ts";

const root = document.getElementById("app");
if (root) void new App(root).run();
