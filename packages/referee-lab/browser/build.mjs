// Bundles every entry point into the Python package: src/pages/<name>.ts and .css become <name>.js and .css, and src/pages/page.html with a title becomes <name>.html.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "./words.mjs";

const TITLES = { participant: "Study", organiser: "Organiser", replay: "Replay", annotator: "Annotate", look: "Look" };
const ENTRIES = Object.keys(TITLES);

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "referee_lab", "static");

const bundle = (entries, outdir) =>
  build({
    entryPoints: entries.map((entry) => join(here, "src", "pages", entry)),
    outdir,
    bundle: true,
    minify: true,
    metafile: true,
    format: "iife",
    target: ["es2021", "chrome90", "firefox90", "safari15"],
    legalComments: "none",
    logLevel: "warning",
  });

// The address of a file changes with its content, so that browsers may keep it for ever.
async function stamp(name) {
  const digest = createHash("sha256").update(await readFile(join(target, name))).digest("hex");
  return `/static/${name}?v=${digest.slice(0, 12)}`;
}

async function writePage(entry) {
  const shell = await readFile(join(here, "src", "pages", "page.html"), "utf8");
  const page = shell.replace("TITLE", TITLES[entry]).replace("SCRIPT", await stamp(`${entry}.js`)).replace("STYLE", await stamp(`${entry}.css`));
  await writeFile(join(target, `${entry}.html`), page);
}

// Every package whose code is in a bundle is named with its licence, as its licence asks.
async function writeLicences(inputs, outdir) {
  const packages = [...new Set(Object.keys(inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean))].sort((a, b) => a.localeCompare(b));
  const texts = await Promise.all(packages.map(async (name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    return `${name} ${version} (${license})\n\n${file ? await readFile(join(folder, file), "utf8") : ""}`;
  }));
  await writeFile(join(outdir, "licences.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}

await mkdir(target, { recursive: true });
const { metafile } = await bundle(ENTRIES.map((entry) => `${entry}.ts`), target);
await bundle(ENTRIES.map((entry) => `${entry}.css`), target);
await Promise.all([...ENTRIES.map(writePage), writeLicences(metafile.inputs, target)]);
