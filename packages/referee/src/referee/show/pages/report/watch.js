// A run that is still growing: the page says how far it is, and is loaded again when its reader asks for it.

import { askServer, button, make } from "../dom.js";

const EVERY_MS = 2000;

export function watchRun(watched, browsers) {
  const words = make("span"), again = button("Show what is new", "quiet");
  const line = make("p", { class: "growing", role: "status" }, words, " ", again);
  again.hidden = true;
  again.addEventListener("click", () => location.reload());
  document.querySelector(".made")?.after(line);
  let told = "";
  const look = async () => {
    const state = await askServer("state").catch(() => null);
    if (!state) {
      words.textContent = "The server of this page does not answer: was referee view stopped?";
    } else {
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
