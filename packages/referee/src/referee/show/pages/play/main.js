// The playground of `referee view`.

import { Playground } from "./app.js";

void new Playground(document.getElementById("app") ?? document.body).start();
