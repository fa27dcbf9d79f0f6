// The scene that is played with, in the form that Python reads, and what can be done to it. Every change makes a new scene, so that a step back is easy.

export const ACROSS = "x-dimension";
export const DOWN = "y-dimension";
export const MOST = 30;

const GRID = { [ACROSS]: ["1", "2", "3", "4", "5"], [DOWN]: ["1", "2", "3"] };
const YES = ["1", "0"];

// Scenes drawn by hand begin here.
export const KINDS = [
  {
    name: "furniture",
    domain: "furniture",
    values: { type: ["chair", "sofa", "desk", "fan"], colour: ["red", "blue", "green", "grey"], size: ["large", "small"], orientation: ["front", "back", "left", "right"], ...GRID },
    start: [
      { type: "chair", colour: "red", size: "large", orientation: "front", [ACROSS]: "2", [DOWN]: "1" },
      { type: "chair", colour: "blue", size: "large", orientation: "left", [ACROSS]: "4", [DOWN]: "1" },
      { type: "sofa", colour: "red", size: "small", orientation: "front", [ACROSS]: "1", [DOWN]: "2" },
      { type: "chair", colour: "red", size: "small", orientation: "front", [ACROSS]: "3", [DOWN]: "2" },
      { type: "fan", colour: "green", size: "small", orientation: "right", [ACROSS]: "5", [DOWN]: "3" },
    ],
  },
  {
    name: "people",
    domain: "people",
    values: { type: ["person"], age: ["young", "old"], hasBeard: YES, hasGlasses: YES, hasHair: YES, hairColour: ["dark", "light"], hasShirt: YES, hasSuit: YES, hasTie: YES, orientation: ["front", "left", "right"], ...GRID },
    start: [
      { type: "person", age: "old", hasBeard: "1", hasGlasses: "1", hasHair: "1", hairColour: "light", hasShirt: "0", hasSuit: "1", hasTie: "1", orientation: "front", [ACROSS]: "1", [DOWN]: "1" },
      { type: "person", age: "young", hasBeard: "1", hasGlasses: "0", hasHair: "1", hairColour: "dark", hasShirt: "1", hasSuit: "0", hasTie: "0", orientation: "front", [ACROSS]: "3", [DOWN]: "1" },
      { type: "person", age: "old", hasBeard: "0", hasGlasses: "1", hasHair: "0", hairColour: "dark", hasShirt: "0", hasSuit: "1", hasTie: "1", orientation: "left", [ACROSS]: "5", [DOWN]: "2" },
      { type: "person", age: "young", hasBeard: "0", hasGlasses: "0", hasHair: "1", hairColour: "dark", hasShirt: "1", hasSuit: "0", hasTie: "0", orientation: "right", [ACROSS]: "2", [DOWN]: "3" },
    ],
  },
  {
    name: "balls and cubes",
    values: { type: ["ball", "cube"], colour: ["red", "blue", "green", "yellow"], size: ["large", "small"], ...GRID },
    start: [
      { type: "ball", colour: "red", size: "large", [ACROSS]: "1", [DOWN]: "2" },
      { type: "cube", colour: "red", size: "large", [ACROSS]: "3", [DOWN]: "2" },
      { type: "ball", colour: "blue", size: "small", [ACROSS]: "4", [DOWN]: "1" },
      { type: "ball", colour: "red", size: "small", [ACROSS]: "5", [DOWN]: "3" },
    ],
  },
];

export function sceneOf(kind) {
  const entities = kind.start.map((attributes, i) => ({ id: letter(i), attributes: { ...attributes } }));
  return { entities, target: entities[0].id, language: "en", ...(kind.domain ? { domain: kind.domain } : {}) };
}

const letter = (i) => (i < 26 ? String.fromCodePoint(97 + i) : `o${i}`);

// As Python writes a scene: attributes may come as pairs.

export function readScene(written) {
  if (!Array.isArray(written.entities) || !written.entities.length) throw new Error("it holds no objects");
  const entities = written.entities.map(({ id, attributes = {}, position, relations }) => {
    if (typeof id !== "string" || !id) throw new Error("an object in it has no name");
    const pairs = Array.isArray(attributes) ? attributes : Object.entries(attributes);
    return { id, attributes: Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])), ...(position ? { position } : {}), ...(relations ? { relations } : {}) };
  });
  const target = written.target ?? written.targets?.[0];
  if (!entities.some(({ id }) => id === target)) throw new Error(target ? `its target ${target} is not among the objects` : "it names no target");
  return { entities, target: target, ...(written.domain ? { domain: written.domain } : {}), ...(written.language ? { language: written.language } : {}) };
}

const onGrid = (scene) => scene.entities.some(({ attributes }) => ACROSS in attributes);

export function withValue(scene, id, name, value) {
  return { ...scene, entities: scene.entities.map((e) => (e.id === id ? { ...e, attributes: { ...e.attributes, [name]: value } } : e)) };
}

export function withTarget(scene, target) {
  return { ...scene, target };
}

export function without(scene, id) {
  const apart = ({ relations, ...e }) => (relations ? { ...e, relations: relations.filter((r) => !JSON.stringify(r).includes(JSON.stringify(id))) } : e);
  const entities = scene.entities.filter((e) => e.id !== id).map(apart);
  return { ...scene, entities, target: scene.target === id ? entities[0].id : scene.target };
}

// A copy of an object, at a place that is free.
export function withAnother(scene, like) {
  const model = scene.entities.find((e) => e.id === like) ?? scene.entities[0];
  const taken = new Set(scene.entities.map((e) => e.id));
  let i = 0;
  while (taken.has(letter(i))) i += 1;
  const entity = { id: letter(i), attributes: { ...model.attributes } };
  if (onGrid(scene)) {
    const [x, y] = freeCell(scene);
    entity.attributes[ACROSS] = String(x);
    entity.attributes[DOWN] = String(y);
  } else if (model.position) {
    entity.position = [Math.max(...scene.entities.map((e) => e.position?.[0] ?? 0)) + 1, ...model.position.slice(1)];
  }
  return { ...scene, entities: [...scene.entities, entity] };
}

function freeCell(scene) {
  const taken = new Set(scene.entities.map(({ attributes }) => `${attributes[ACROSS]} ${attributes[DOWN]}`));
  for (let y = 1; y <= 12; y += 1) for (let x = 1; x <= 5; x += 1) if (!taken.has(`${x} ${y}`)) return [x, y];
  return [1, 1];
}

// To a cell of the grid, or to a place of the picture for scenes without one; whoever stands there changes places.
export function moved(scene, id, cell, places) {
  const mine = places.get(id);
  if (!mine || (mine[0] === cell[0] && mine[1] === cell[1])) return scene;
  const other = scene.entities.find((e) => e.id !== id && places.get(e.id)?.[0] === cell[0] && places.get(e.id)?.[1] === cell[1])?.id;
  const at = (e) => (e.id === id ? cell : e.id === other ? mine : places.get(e.id));
  return {
    ...scene,
    entities: scene.entities.map((e) => {
      const [x, y] = at(e);
      if (onGrid(scene)) return e.id === id || e.id === other ? { ...e, attributes: { ...e.attributes, [ACROSS]: String(x + 1), [DOWN]: String(y + 1) } } : e;
      return { ...e, position: [x, y] };
    }),
  };
}
