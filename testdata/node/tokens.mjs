// Reads tool definitions (a JSON list) on standard input and prints how many
// tokens name, description and input schema of each take, and their sum.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const { countTokens } = createRequire(process.env.PERFBISECT_NODE_MODULES + "/")("gpt-tokenizer");
let total = 0;
for (const t of JSON.parse(readFileSync(0, "utf8"))) {
  const n = countTokens(t.name) + countTokens(t.description) + countTokens(JSON.stringify(t.inputSchema));
  console.log(t.name, n);
  total += n;
}
console.log("total", total);
