// The script of a report's page (and of `referee view RUN`): figures, tables, chapters and items.

import { openChapters } from "./chapters.js";
import { drawFigures } from "./figures.js";
import { ItemBrowser } from "./item-browser.js";
import { listenToKeys } from "./keys.js";
import { HeldItems, ServedItemsSource } from "./sources.js";
import { sortable } from "./tables.js";
import { watchRun } from "./watch.js";

const data = JSON.parse(document.getElementById("report-data").textContent ?? "{}");
const browsers = data.browsers.map(({ id, content, served }) => {
  const source = served ? new ServedItemsSource(served) : new HeldItems(content);
  return new ItemBrowser(document.getElementById(id), source, document.getElementById(id.replace(/browser$/, "gallery")));
});
listenToKeys(browsers);
document.querySelectorAll("table.sortable").forEach(sortable);
openChapters();
drawFigures(data.figures);
if (data.watched) watchRun(data.watched, browsers);
