// Entry point: the organisers' dashboard.

import { Dashboard } from "../organiser/app.ts";

const root = document.getElementById("app");
if (root) new Dashboard(root).start();
