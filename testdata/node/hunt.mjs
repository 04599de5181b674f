// Drives a whole hunt with a real TypeScript client and prints what it saw as
// one JSON object:
//
//   node hunt.mjs v1|v2 auto|legacy stdio COMMAND
//   node hunt.mjs v1|v2 auto|legacy http|sse URL TOKEN
//
// In the environment, ACTION is what the user does with a question: accept
// (default), decline, cancel, or "none" for a client that cannot ask; ANSWER what
// the answer is; START the arguments of bisect_start, in JSON; ARGS those of
// COMMAND, with spaces between them.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [version, era, transport, target, token] = process.argv.slice(2);
const action = process.env.ACTION ?? "accept";
const reply = process.env.ANSWER ?? "higher";
const start = JSON.parse(process.env.START ?? '{"bench_cmd":"./bench","metric":"ask"}');
const args = (process.env.ARGS ?? "").split(" ").filter(Boolean);
const require = createRequire(process.env.PERFBISECT_NODE_MODULES + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const saw = { asked: [], progress: [], updates: [] };
const answer = async (request) => {
  saw.asked.push(request.params.message);
  return action === "accept" ? { action, content: { answer: reply } } : { action };
};

async function connect() {
  const info = { name: "hunt", version: "1" };
  const capabilities = action === "none" ? {} : { elicitation: { form: {} } };
  const headers = { Authorization: "Bearer " + token };
  const stdio = { command: target, args, env: { ...process.env }, stderr: "inherit" };
  if (version === "v1") {
    const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { SSEClientTransport } = await load("@modelcontextprotocol/sdk/client/sse.js");
    const { ElicitRequestSchema, ResourceUpdatedNotificationSchema } = await load("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info, { capabilities });
    if (action !== "none") client.setRequestHandler(ElicitRequestSchema, answer);
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => { saw.updates.push(n.params.uri); });
    await client.connect(
      transport === "stdio" ? new StdioClientTransport(stdio)
        : transport === "http" ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } })
          : new SSEClientTransport(new URL(target), { requestInit: { headers } }));
    return [client, (params, options) => client.callTool(params, undefined, options)];
  }
  const { Client, StreamableHTTPClientTransport, SSEClientTransport } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const client = new Client(info, { capabilities, versionNegotiation: { mode: era } });
  if (action !== "none") client.setRequestHandler("elicitation/create", answer);
  await client.connect(
    transport === "stdio" ? new StdioClientTransport(stdio)
      : transport === "http" ? new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } })
        : new SSEClientTransport(new URL(target), { requestInit: { headers } }));
  saw.era = client.getProtocolEra();
  return [client, (params, options) => client.callTool(params, options)];
}

const [client, call] = await connect();
saw.instructions = client.getInstructions()?.length ?? 0;
saw.tools = (await client.listTools()).tools.map((t) => t.name);
let run = (await call({ name: "bisect_start", arguments: start })).structuredContent;
saw.first = run.state;
const id = run.run_id;
if (run.question) {
  saw.question = run.question.id;
  run = (await call({ name: "bisect_answer", arguments: { run_id: id, question_id: run.question.id, answer: reply } })).structuredContent;
}
if (version === "v1") await client.subscribeResource({ uri: `run://${id}/report` });
for (let i = 0; i < 50 && run.state !== "completed"; i++) {
  const options = { onprogress: (p) => saw.progress.push(p.message) };
  run = (await call({ name: "bisect_status", arguments: { run_id: id } }, options)).structuredContent;
}
saw.state = run.state;
saw.culprit = run.result?.culprit;
saw.report = (await call({ name: "bisect_report", arguments: { run_id: id } })).structuredContent.report;
saw.resources = (await client.listResources()).resources.map((r) => r.uri);
saw.chart = (await client.readResource({ uri: `run://${id}/chart.svg` })).contents[0].mimeType;
saw.prompt = (await client.getPrompt({ name: "bisect-perf-regression", arguments: { good: "v1", bench_cmd: "./b" } })).messages.length;
saw.refs = (await client.complete({ ref: { type: "ref/prompt", name: "bisect-perf-regression" }, argument: { name: "good", value: "v" } })).completion.values;
saw.wrong = (await call({ name: "bisect_start", arguments: { bench: "x" } })).isError === true;
await client.close();
console.log(JSON.stringify(saw));
process.exit(0);
