// The playground of the first page: it shows answers that Referee's speakers and hearers gave when the site was built, and computes nothing itself.
document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("playground-here");
  const recorded = window.REFEREE_RECORDED;
  if (!place || !recorded) return;
  const make = (tag, attributes = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };
  const choice = (label, names, shown = (name) => name) => {
    const select = make("select", {}, ...names.map((name, i) => make("option", { value: String(i), textContent: shown(name) })));
    select.addEventListener("change", draw);
    controls.append(make("label", {}, `${label} `, select));
    return select;
  };
  const controls = make("div", { className: "pg-controls" });
  const scene = make("div", { className: "pg-scene" });
  const said = make("div", { className: "pg-said" });
  said.setAttribute("aria-live", "polite");
  place.append(controls, make("div", { className: "pg-body" }, scene, said));
  const which = choice("Scene", recorded.scenes, (s) => `${s.domain} (${s.name})`);
  const speaker = choice("Speaker", recorded.speakers);
  const hearer = choice("Hearer", recorded.hearers);
  let target = 0;
  which.addEventListener("change", () => { target = 0; draw(); });

  function draw() {
    const shown = recorded.scenes[which.value];
    const [columns, rows] = shown.grid;
    const answer = shown.objects[target].answers[recorded.speakers[speaker.value]];
    const belief = answer.beliefs[recorded.hearers[hearer.value]];
    const picture = make("img", { src: `playground/${shown.name}.svg`, alt: `A scene of ${shown.domain}`, className: "pg-picture" });
    const buttons = shown.objects.map((object, i) => {
      const share = belief[object.id] ?? 0;
      const button = make("button", { type: "button", className: i === target ? "pg-target" : "" }, make("span", { textContent: share ? `${Math.round(100 * share)} %` : "" }));
      button.setAttribute("aria-label", `object ${i + 1}${i === target ? ", the target" : ""}; belief ${Math.round(100 * share)} %`);
      button.setAttribute("aria-pressed", String(i === target));
      button.style.cssText = `left:${100 * (object.at[0] / columns)}%;top:${100 * (object.at[1] / rows)}%;width:${100 / columns}%;height:${100 / rows}%;--belief:${share}`;
      button.addEventListener("click", () => { target = i; draw(); scene.querySelectorAll("button")[i].focus(); });
      return button;
    });
    scene.replaceChildren(picture, ...buttons);
    const apart = ["several", "none"].filter((name) => belief[name]).map((name) => `${name} ${Math.round(100 * belief[name])} %`);
    said.replaceChildren(
      make("p", { className: "pg-words", textContent: `“${answer.words || "(nothing)"}”` }),
      make("p", { textContent: answer.unique ? "True of the target and of nothing else." : "Not true of the target alone." }),
      make("ol", {}, ...answer.steps.map((step) => make("li", { textContent: [step.property, step.reason, `${step.remaining} left`].filter(Boolean).join("; ") }))),
      make("p", { textContent: apart.length ? `The hearer also believes: ${apart.join(", ")}.` : "" }),
      make("p", { className: "pg-note", textContent: `Recorded with Referee ${recorded.version}. Click another object to make it the target.` }),
    );
  }
  draw();
});
