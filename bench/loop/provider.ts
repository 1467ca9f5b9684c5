import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { answer, text, toolCall, wireEvents } from '@chatd/testing';
import { STEP_DELTAS, STEPS, wordOf } from './scenario.ts';

/*
 * A minimal Anthropic Messages server, because the client is what is measured: responses are encoded in advance, and
 * request bodies are searched, not parsed. The path selects the response: /WORK/DELTAS/GAP/v1/messages.
 */

const TOOL_RESULT = Buffer.from('"type":"tool_result"');

function pieces(count: number): string[] {
  return Array.from({ length: count }, (_none, index) => wordOf(index));
}

/** The final answer of both kinds of work. */
function lastAnswer(deltas: number): Buffer[] {
  return encode(answer([text(pieces(deltas))]));
}

function stepAnswer(step: number): Buffer[] {
  const call = toolCall(
    'add',
    { a: step, b: 1_000_000 },
    { id: `toolu_${step}`, chunks: STEP_DELTAS },
  );
  return encode(answer([text(pieces(STEP_DELTAS)), call]));
}

function encode(scripted: ReturnType<typeof answer>): Buffer[] {
  return wireEvents('anthropic', scripted).map((event) => Buffer.from(event));
}

const steps = Array.from({ length: STEPS - 1 }, (_none, step) => stepAnswer(step));
const last = new Map<number, Buffer[]>();
const whole = new Map<Buffer[], Buffer>();

function countResults(body: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(TOOL_RESULT); at >= 0; at = body.indexOf(TOOL_RESULT, at + 1)) count++;
  return count;
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, work, deltas, gap] = (request.url ?? '').split('/');
  const body = await buffer(request);
  const final = last.get(Number(deltas)) ?? lastAnswer(Number(deltas));
  last.set(Number(deltas), final);
  const events = work === 'tools' ? (steps[countResults(body)] ?? final) : final;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  if (Number(gap) > 0) {
    pace(response, events, Number(gap));
    return;
  }
  const bytes = whole.get(events) ?? Buffer.concat(events);
  whole.set(events, bytes);
  response.end(bytes);
}

function pace(response: ServerResponse, events: readonly Buffer[], gapMs: number): void {
  response.socket?.setNoDelay(true);
  let next = 0;
  const timer = setInterval(() => {
    const event = events[next++];
    if (event && !response.destroyed) {
      response.write(event);
      return;
    }
    clearInterval(timer);
    response.end();
  }, gapMs);
}

/** Serves until the parent disconnects. */
export function serve(): void {
  const server = createServer((request, response) => void respond(request, response));
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address) process.send?.({ port: address.port });
  });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000 });
  });
  process.on('disconnect', () => process.exit());
}
