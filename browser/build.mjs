// Bundles every entry point into the Python package. An entry is a name: src/<name>.ts, src/<name>.css and src/<name>.html become <name>.js, .css, .html.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ENTRIES = ["participant", "organiser"];

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "referee", "studies", "static");

const bundle = (entryPoints) =>
  build({
    entryPoints,
    outdir: target,
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2020", "chrome90", "firefox90", "safari15"],
    legalComments: "linked",
    logLevel: "warning",
  });

// The address of a file changes with its content, so that browsers may keep it for ever.
async function stamp(name) {
  const digest = createHash("sha256").update(await readFile(join(target, name))).digest("hex");
  return `/static/${name}?v=${digest.slice(0, 12)}`;
}

async function writePage(entry) {
  const shell = await readFile(join(here, "src", `${entry}.html`), "utf8");
  const page = shell.replace("SCRIPT", await stamp(`${entry}.js`)).replace("STYLE", await stamp(`${entry}.css`));
  await writeFile(join(target, `${entry}.html`), page);
}

await mkdir(target, { recursive: true });
await bundle(ENTRIES.map((entry) => join(here, "src", `${entry}.ts`)));
await bundle(ENTRIES.map((entry) => join(here, "src", `${entry}.css`)));
await Promise.all(ENTRIES.map(writePage));
