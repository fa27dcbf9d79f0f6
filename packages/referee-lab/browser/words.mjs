// Makes src/generated/english.ts out of the words that the Python package ships, so that there is one file of them. Run by the build and before check, lint and test.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "smol-toml";

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, "../src/referee_lab/study/texts/en/strings.toml");
const target = join(here, "src/generated/english.ts");

const words = parse(await readFile(source, "utf8"));
const odd = Object.keys(words).filter((name) => typeof words[name] !== "string");
if (odd.length) throw new Error(`${source}: ${odd.join(", ")} should be words in quotes`);
const text = `// Made from texts/en/strings.toml by words.mjs: change the words there.\n\nexport const ENGLISH = ${JSON.stringify(words, null, 2)} as const;\n`;

// Left alone where nothing has changed: make looks at its date.
if ((await readFile(target, "utf8").catch(() => "")) !== text) {
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}
