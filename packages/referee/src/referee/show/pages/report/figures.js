// Figures: as many panels side by side as the screen has room for, in colours that are legible on light and dark ground.

// A title in as many lines as the screen needs.
function wrapped(text, room) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (`${last} ${word}`.length > room && last) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`.trim();
  }
  return lines;
}

// Words take the colour of the page's own, so that a figure needs no drawing anew when the ground changes or the page is printed.
function tinted(config = {}, room) {
  const words = "currentColor", thin = "#8886";
  const of = (name) => (config[name] ?? {});
  return {
    ...config,
    background: "transparent",
    axis: { ...of("axis"), labelColor: words, titleColor: words, gridColor: thin, domainColor: "#888", tickColor: "#888" },
    header: { ...of("header"), labelColor: words, titleColor: words },
    legend: { ...of("legend"), labelColor: words, titleColor: words, ...(room < 480 && { columns: 1 }) },
    title: { ...of("title"), color: words, subtitleColor: words },
  };
}

async function draw({ id, cell, spec: given }, room) {
  const place = document.getElementById(id);
  if (!place) return;
  // Black marks would vanish on dark ground.
  const spec = JSON.parse(JSON.stringify(given).replaceAll('"#000000"', '"currentColor"'));
  spec.config = tinted(spec.config, room);
  delete spec.background;
  if (cell) spec.columns = Math.max(1, Math.floor((room - 110) / (cell + 30)));
  if (cell && spec.spec) spec.spec.width = Math.min(cell, Math.max(100, room - 180));
  if (spec.title) spec.title.text = wrapped([spec.title.text].flat().join(" "), Math.floor(room / 7.5));
  const shape = `${spec.columns} ${spec.spec?.width}`;
  if (place.dataset["shape"] === shape) return;
  place.dataset["shape"] = shape;
  await window.vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true, mode: "vega-lite" });
  place.dataset["ready"] = "yes";
}

// Also those in closed chapters: a page may be printed at any moment. Their room is that of the page, for a closed one has none.
export function drawFigures(figures) {
  const drawAll = async () => {
    const room = document.getElementById("main").clientWidth - 40;
    for (const figure of figures) await draw(figure, room);
    document.body.setAttribute("data-drawn", "yes");
  };
  let waiting;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void drawAll(), 200);
  });
  void drawAll();
}
