// Writes tests/golden/json/js.json: for each text of cases.json (made by json_text.py) JSON.stringify(JSON.parse(text)), or
// null where JavaScript refuses it. Run from the top of the repository: node scripts/golden/json_text.mjs
import { readFileSync, writeFileSync } from "node:fs";

const folder = "tests/golden/json/";
const cases = JSON.parse(readFileSync(folder + "cases.json", "utf8"));

function answer(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}

// Escaped to ASCII, one answer per line, as json_text.py does.
const ascii = (text) => text.replace(/[\u007f-\uffff]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
const lines = cases.map((text) => ascii(JSON.stringify(answer(text))));
writeFileSync(folder + "js.json", "[\n" + lines.join(",\n") + "\n]\n");
