// The playground: a scene on one side, everybody's answers on the other.

import { button, make, messageOf } from "../dom.js";
import { askAll, askKnown, askScene, isLearning } from "./answers.js";
import { cards } from "./cards.js";
import { Inspector } from "./inspector.js";
import { BrokenLink, linkOf, readLink } from "./link.js";
import { KINDS, moved, readScene, sceneOf, withTarget, without } from "./scene.js";
import { Stage } from "./stage.js";

const SPEAKERS = ["classic/incremental", "classic/full-brevity", "classic/rsa"];
const HEARERS = ["literal", "noisy"];
const AGAIN_MS = 700;
const TYPING_MS = 250;

export class Playground {
  scene = sceneOf(KINDS[0]);
  values = KINDS[0].values;
  speakers = [...SPEAKERS];
  hearers = [...HEARERS];
  number = null;
  learnFrom = "synthetic";
  asked = 0;
  look = null;
  again;
  stage = new Stage({
    choose: (id) => this.change(withTarget(this.scene, id)),
    move: (id, cell) => this.change(moved(this.scene, id, cell, this.stage.places())),
    remove: (id) => this.scene.entities.length > 1 && this.change(without(this.scene, id)),
  });
  inspector = new Inspector((scene) => this.change(scene));
  said = make("div", { class: "said-by", "aria-live": "polite" });
  words = make("input", { type: "text", placeholder: "say it yourself: the large red chair", "aria-label": "Your own description", maxlength: 300 });
  notice = make("p", { class: "notice", role: "status" });
  about = make("p", { class: "note" });

  constructor(root) {
    this.root = root;
  }

  async start() {
    let known;
    try {
      known = await askKnown();
    } catch (error) {
      this.root.replaceChildren(make("p", { class: "notice" }, `The server does not answer: ${messageOf(error)}`));
      return;
    }
    this.learnFrom = known.learn_from;
    this.open(location.hash);
    this.build(known);
    window.addEventListener("hashchange", () => {
      if (location.hash !== linkOf(this.shared())) {
        this.open(location.hash);
        this.build(known);
        void this.ask();
      }
    });
    await this.ask();
  }

  // A link's scene, or the one to begin with and what is wrong with the link.
  open(hash) {
    try {
      const shared = readLink(hash);
      if (!shared) return;
      this.scene = shared.scene;
      this.values = KINDS.find(({ domain }) => domain !== undefined && domain === shared.scene.domain)?.values ?? {};
      if (shared.speakers.length) this.speakers = shared.speakers;
      if (shared.hearers.length) this.hearers = shared.hearers;
      this.words.value = shared.words;
    } catch (error) {
      if (!(error instanceof BrokenLink)) throw error;
      this.tell(`This link is broken: ${error.message}. Here is another scene instead.`);
    }
  }

  shared() {
    return { scene: this.scene, speakers: this.speakers, hearers: this.hearers, words: this.words.value };
  }

  build(known) {
    let waiting;
    this.words.oninput = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => void this.ask(), TYPING_MS);
    };
    const share = button("Copy a link to this scene", "quiet");
    share.addEventListener("click", () => void this.share());
    this.root.replaceChildren(
      make("header", {}, make("h1", {}, "A place to play"), make("p", {}, "Click an object to make it the target, drag it or use the arrow keys to move it, change it below. Speakers describe it, and hearers say where they would go.")),
      this.notice,
      make("main", {},
        make("section", { class: "left", "aria-label": "The scene" }, this.sources(known), this.stage.root, this.about, this.inspector.root, make("div", { class: "row" }, share)),
        make("section", { class: "right", "aria-label": "What is said of it" },
          make("div", { class: "choices" }, this.chooser("Speakers", known.speakers, this.speakers), this.chooser("Hearers", known.hearers, this.hearers), this.school(known)),
          make("label", { class: "own-words" }, "Your own words", this.words),
          this.said)),
    );
  }

  sources(known) {
    const hands = KINDS.map((kind, i) => make("option", { value: `hand ${i}` }, `by hand: ${kind.name}`));
    const corpora = known.corpora.map(({ name, about }) => make("option", { value: name, title: about }, name));
    const select = make("select", {}, make("optgroup", { label: "Drawn by hand" }, ...hands), make("optgroup", { label: "From a corpus" }, ...corpora));
    const another = button("Another scene", "quiet");
    const take = () => {
      const hand = /^hand (\d)$/.exec(select.value);
      if (hand) this.begin(KINDS[Number(hand[1])]);
      else void this.fetch(select.value);
    };
    select.addEventListener("change", () => {
      this.number = null;
      take();
    });
    another.addEventListener("click", take);
    return make("div", { class: "row" }, make("label", {}, "Scene", select), another);
  }

  begin(kind) {
    this.values = kind.values;
    this.about.textContent = "";
    this.change(sceneOf(kind));
  }

  async fetch(corpus) {
    try {
      const found = await askScene(corpus, this.number === null ? null : this.number + 1);
      this.number = found.number;
      this.values = found.values;
      this.about.textContent = `${corpus} ${found.id}, ${found.number + 1} of ${found.of.toLocaleString("en")}${found.people ? `; a person said: “${found.people}”` : ""}`;
      this.change(readScene(found.scene));
    } catch (error) {
      this.tell(messageOf(error));
    }
  }

  chooser(title, all, chosen) {
    const boxes = all.map(({ name, about, team, year }) => {
      const box = make("input", { type: "checkbox", value: name, checked: chosen.includes(name) });
      box.addEventListener("change", () => {
        const at = chosen.indexOf(name);
        if (box.checked && at < 0) chosen.push(name);
        if (!box.checked && at >= 0) chosen.splice(at, 1);
        count.textContent = String(chosen.length);
        void this.ask();
      });
      return make("label", { class: "choice" }, box, make("span", {}, make("b", {}, name), ` ${[team && year ? `${team} ${year}` : "", about].filter(Boolean).join(": ")}`));
    });
    const count = make("span", { class: "count" }, String(chosen.length));
    return make("details", { class: "chooser" }, make("summary", {}, `${title} (`, count, ")"), make("div", { class: "boxes" }, ...boxes));
  }

  school(known) {
    const select = make("select", {}, ...known.corpora.map(({ name }) => make("option", { value: name, selected: name === this.learnFrom }, name)));
    select.addEventListener("change", () => {
      this.learnFrom = select.value;
      void this.ask();
    });
    return make("label", { class: "school" }, "Those who learn, learn from", select);
  }

  change(scene) {
    this.scene = scene;
    this.tell("");
    void this.ask();
  }

  tell(what) {
    this.notice.textContent = what;
  }

  async share() {
    const address = location.href.split("#")[0] + linkOf(this.shared());
    history.replaceState(null, "", linkOf(this.shared()));
    try {
      await navigator.clipboard.writeText(address);
      this.tell("The link is copied; it holds the whole scene.");
    } catch {
      this.tell("The link stands in the address bar; it holds the whole scene.");
    }
  }

  // An answer that comes after a later question is not looked at.
  async ask() {
    clearTimeout(this.again);
    const turn = ++this.asked;
    history.replaceState(null, "", linkOf(this.shared()));
    try {
      const answers = await askAll({ scene: this.scene, speakers: this.speakers, hearers: this.hearers, words: this.words.value, learn_from: this.learnFrom });
      if (turn !== this.asked) return;
      this.look = answers.look;
      this.stage.show(this.look, this.scene.target);
      this.inspector.show(this.scene, this.values);
      this.said.replaceChildren(...cards(answers, this.scene.target));
      document.body.dataset["answered"] = String(turn);
      if (isLearning(answers)) this.again = setTimeout(() => void this.ask(), AGAIN_MS);
    } catch (error) {
      if (turn === this.asked) this.tell(messageOf(error));
    }
  }
}
