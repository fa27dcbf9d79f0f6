// What makes the page of a report (and of `referee view`) move: its figures, tables, chapters and items.

import { openChapters } from "../report-page/chapters.ts";
import type { Content } from "../report-page/content.ts";
import { drawFigures } from "../report-page/figures.ts";
import type { FigureData } from "../report-page/figures.ts";
import { ItemBrowser } from "../report-page/item-browser.ts";
import { listenToKeys } from "../report-page/keys.ts";
import { HeldItems, ServedItemsSource } from "../report-page/sources.ts";
import type { ServedContent } from "../report-page/sources.ts";
import { sortable } from "../report-page/tables.ts";
import { watchRun } from "../report-page/watch.ts";
import type { Watched } from "../report-page/watch.ts";

interface ReportData {
  figures: FigureData[];
  browsers: Array<{ id: string; content?: Content; served?: ServedContent }>;
  watched?: Watched;
}

const data = JSON.parse(document.getElementById("report-data")!.textContent ?? "{}") as ReportData;
const browsers = data.browsers.map(({ id, content, served }) => {
  const source = served ? new ServedItemsSource(served) : new HeldItems(content!);
  return new ItemBrowser(document.getElementById(id)!, source, document.getElementById(id.replace(/browser$/, "gallery")));
});
listenToKeys(browsers);
document.querySelectorAll<HTMLTableElement>("table.sortable").forEach(sortable);
openChapters();
drawFigures(data.figures);
if (data.watched) watchRun(data.watched, browsers);
