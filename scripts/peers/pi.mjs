// Times Pi's own functions on a session that generate.py wrote: node pi.mjs FILE, beside an installed
// @earendil-works/pi-coding-agent (npm). Prints milliseconds, the median of the calls, as CSV: what, ms, value.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(process.cwd(), "node_modules/@earendil-works/pi-coding-agent");
const at = (path) => import(pathToFileURL(join(root, "dist", path)).href);
const { estimateTokens, findCutPoint } = await at("core/compaction/compaction.js");
const { parseSessionEntries } = await at("core/session-manager.js");

function timed(what, times, call) {
  const taken = [];
  let value;
  for (let index = 0; index < times; index += 1) {
    const start = performance.now();
    value = call();
    taken.push(performance.now() - start);
  }
  taken.sort((a, b) => a - b);
  console.log(`${what},${taken[taken.length >> 1].toFixed(3)},${value}`);
}

const path = process.argv[2];
console.log("what,ms,value");
timed("load", 5, () => parseSessionEntries(readFileSync(path, "utf8")).length);
const entries = parseSessionEntries(readFileSync(path, "utf8")).filter((entry) => entry.type === "message");
timed("estimateTokens of all", 15, () => entries.reduce((sum, entry) => sum + estimateTokens(entry.message), 0));
timed("findCutPoint", 15, () => findCutPoint(entries, 0, entries.length, 20000).firstKeptEntryIndex);
