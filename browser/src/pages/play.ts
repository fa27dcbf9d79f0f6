import { Playground } from "../play/app.ts";

void new Playground(document.getElementById("app") ?? document.body).start();
