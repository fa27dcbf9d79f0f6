// Keys that do what the controls of the items do.

import type { ItemBrowser } from "./item-browser.ts";

export function listenToKeys(browsers: readonly ItemBrowser[]): void {
  const nearest = (): ItemBrowser => browsers.find((browser) => browser.root.contains(document.activeElement)) ?? browsers[0]!;
  const keys: Record<string, () => void> = {
    "/": () => nearest().search.focus(),
    j: () => nearest().move(1),
    k: () => nearest().move(-1),
    n: () => nearest().turn(1),
    p: () => nearest().turn(-1),
    g: () => window.scrollTo(0, 0),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !browsers.length || !(event.target instanceof Element)) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
