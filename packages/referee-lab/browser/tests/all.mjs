// All tests; a file whose tests have all ended while its process has not is run once more: now and then Node does not come to an end with a loader (tsx) in a thread of its own.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"

const OPTIONS = ["--import", "tsx", "--import", "./tests/page.ts", "--test", "--test-reporter=tap", "--test-concurrency=2", "--test-force-exit"]
const TIMEOUT = "--test-timeout=60000"

function run(files) {
  const done = spawnSync(process.execPath, [...OPTIONS, TIMEOUT, ...files], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] })
  process.stdout.write(done.stdout)
  const failed = [...done.stdout.matchAll(/^ *not ok \d+ - (.*)$/gm)].map((found) => found[1])
  const endless = done.stdout.split("failureType: 'testTimeoutFailure'").length - 1
  // Only where nothing failed but whole files, each by not ending.
  const again = failed.length === endless ? files.filter((file) => failed.some((name) => name.endsWith(file))) : []
  return { status: done.status ?? 1, again: again.length === failed.length ? again : [] }
}

// The judge's own pages are plain JavaScript; their tests run here, where Node and a page for it are.
const FOLDERS = ["tests", "../../referee/tests/show/pages"]
const files = FOLDERS.flatMap((folder) => readdirSync(folder).filter((name) => /\.test\.[jt]s$/.test(name)).map((name) => `${folder}/${name}`))
const first = run(files)
if (first.again.length > 0) console.error(`# did not end, and is run once more: ${first.again.join(", ")}`)
process.exit(first.again.length > 0 ? run(first.again).status : first.status)
