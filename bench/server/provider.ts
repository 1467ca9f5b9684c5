/*
 * A scripted provider with the Chat Completions API that responds without delay: tool calls of `add`, then a text of 20
 * deltas. `PUT /steps` sets the number of model calls per turn, `GET /stats` returns the requests so far and their cost.
 */
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ProviderStats } from './conversations.ts';
import { DELTAS } from './script.ts';

const [port = '0'] = process.argv.slice(2);
const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
let steps = 5;
let requests = 0;
let bytes = 0;

const USER = Buffer.from('"role":"user"');
const TOOL = Buffer.from('"role":"tool"');

interface Received {
  /** Since the last user message. */
  readonly toolResults: number;
  readonly hasTools: boolean;
}

/** Searches compact JSON as bytes: parsing long histories would make this the busiest process of the run. */
function readRequest(body: Buffer): Received {
  const lastUser = body.lastIndexOf(USER);
  if (lastUser < 0) return readSpacedRequest(body);
  let toolResults = 0;
  for (let at = body.indexOf(TOOL, lastUser); at >= 0; at = body.indexOf(TOOL, at + 1)) {
    toolResults += 1;
  }
  return { toolResults, hasTools: body.includes('"tools":[{') };
}

/** For clients that send JSON with spaces. */
function readSpacedRequest(body: Buffer): Received {
  const { messages, tools = [] } = JSON.parse(body.toString()) as {
    messages: readonly { role: string }[];
    tools?: readonly unknown[];
  };
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const toolResults = messages.slice(lastUser + 1).filter(({ role }) => role === 'tool').length;
  return { toolResults, hasTools: tools.length > 0 };
}

function respond(body: Buffer, response: ServerResponse): void {
  requests += 1;
  bytes += body.length;
  const { toolResults, hasTools } = readRequest(body);
  const id = `chatcmpl-${requests}`;
  const frame = (rest: object) =>
    response.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted', ...rest })}\n\n`,
    );
  const chunk = (delta: object, finish: string | null = null) =>
    frame({ choices: [{ index: 0, delta, finish_reason: finish }] });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  if (hasTools && toolResults < steps - 1) {
    const call = {
      index: 0,
      id: `call_${requests}`,
      type: 'function',
      function: { name: 'add', arguments: '' },
    };
    const args = `{"a":${toolResults},"b":1}`;
    chunk({ role: 'assistant', content: null, tool_calls: [call] });
    // In two pieces, like real providers.
    for (const piece of [args.slice(0, 5), args.slice(5)]) {
      chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
    }
    chunk({}, 'tool_calls');
  } else {
    chunk({ role: 'assistant', content: '' });
    for (const content of DELTAS) chunk({ content });
    chunk({}, 'stop');
  }
  frame({ choices: [], usage: USAGE });
  response.end('data: [DONE]\n\n');
}

function handle(path: string | undefined, body: Buffer, response: ServerResponse): void {
  if (path === '/stats') {
    const { user, system } = process.cpuUsage();
    const stats: ProviderStats = { requests, bytes, cpuSeconds: (user + system) / 1e6 };
    response.end(JSON.stringify(stats));
  } else if (path === '/steps') {
    steps = Number(body.toString());
    response.end();
  } else respond(body, response);
}

const server = createServer((request, response) => {
  void buffer(request).then((body) => handle(request.url, body, response));
});
server.keepAliveTimeout = 3_600_000;
server.listen(Number(port), '127.0.0.1');
