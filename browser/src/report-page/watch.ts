// A run that is still growing: what there is so far is told, and the page is made anew when its reader wants it.

import { button, make } from "../common/dom.ts";
import type { ItemBrowser } from "./item-browser.ts";

export interface Watched {
  made: string; // which state of the run this page shows
}

interface RunState {
  made: string; // which state a page made now would show
  said: string;
  done: boolean;
}

const EVERY_MS = 2000;

export function watchRun(watched: Watched, browsers: readonly ItemBrowser[]): void {
  const words = make("span"), again = button("Show what is new", "quiet");
  const line = make("p", { class: "growing", role: "status" }, words, " ", again);
  again.hidden = true;
  again.addEventListener("click", () => location.reload());
  document.querySelector(".made")?.after(line);
  let told = "";
  const look = async (): Promise<void> => {
    const reply = await fetch("state").catch(() => null);
    if (!reply?.ok) {
      words.textContent = "The server of this page does not answer: was referee view stopped?";
    } else {
      const state = await reply.json() as RunState;
      words.textContent = state.said;
      const newer = state.made !== watched.made;
      // A page without any findings yet has nothing to lose by being made anew.
      if (newer && !document.getElementById("findings")) location.reload();
      again.hidden = !newer;
      if (told && told !== state.said) await Promise.all(browsers.map((browser) => browser.refresh()));
      told = state.said;
      if (state.done && !newer) return;
    }
    setTimeout(() => void look(), EVERY_MS);
  };
  void look();
}
