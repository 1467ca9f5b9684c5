/*
 * Restate: a durable handler per turn, on a virtual object per chat. Each model call and each tool call is a journaled
 * `ctx.run`; a model call is one `streamText` of the AI SDK without a loop. The Restate server stores the data.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer } from 'node:http2';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import * as restate from '@restatedev/restate-sdk';
import { type ModelMessage, streamText, tool } from 'ai';
import { z } from 'zod';
import { MAX_STEPS, pastMessages, required, serve, SYSTEM_PROMPT } from '../../server/contract.ts';
import { freePort } from '../../server/environment.ts';
import { startRestateServer } from './restate-server.ts';

const model = createOpenAICompatible({
  name: 'scripted',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
  includeUsage: true,
})('scripted');

/** Without `execute`, `streamText` stops at the tool call, and the handler runs the tool. */
const add = tool({
  description: 'Add two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
});

/** By turn. */
const listeners = new Map<string, (delta: string) => void>();

async function callModel(messages: ModelMessage[], listener: string) {
  const result = streamText({ model, tools: { add }, system: SYSTEM_PROMPT, messages });
  const emit = listeners.get(listener);
  for await (const delta of result.textStream) emit?.(delta);
  const { messages: added } = await result.response;
  const calls = await result.toolCalls;
  return {
    messages: added,
    calls: calls.flatMap((call) =>
      call.dynamic === true ? [] : [{ toolCallId: call.toolCallId, input: call.input }],
    ),
  };
}

function toolMessage(toolCallId: string, value: string): ModelMessage {
  const output = { type: 'text' as const, value };
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId, toolName: 'add', output }],
  };
}

async function runTurn(
  ctx: restate.ObjectContext,
  { text, listener }: { readonly text: string; readonly listener: string },
): Promise<void> {
  const messages = (await ctx.get<ModelMessage[]>('messages')) ?? [];
  messages.push({ role: 'user', content: text });
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const answer = await ctx.run('model', () => callModel(messages, listener));
    messages.push(...answer.messages);
    if (answer.calls.length === 0) break;
    for (const { toolCallId, input } of answer.calls) {
      const value = await ctx.run('tool', () => String(input.a + input.b));
      messages.push(toolMessage(toolCallId, value));
    }
  }
  ctx.set('messages', messages);
}

async function storeMessages(ctx: restate.ObjectContext, messages: ModelMessage[]): Promise<void> {
  ctx.set('messages', messages);
}

const chatObject = restate.object({
  name: 'chat',
  handlers: { turn: runTurn, seed: storeMessages },
});
const restateServer = await startRestateServer(required('PEER_DATA'));

const port = await freePort();
const endpoint = createServer(restate.createEndpointHandler({ services: [chatObject] }));
endpoint.listen(port, '127.0.0.1');
await once(endpoint, 'listening');
const registered = await fetch(`${restateServer.adminUrl}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
});
if (!registered.ok) throw new Error(`registration failed: ${await registered.text()}`);

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

function invoke(chat: string, handler: string, argument: unknown): Promise<void> {
  const url = `${restateServer.ingressUrl}/chat/${encodeURIComponent(chat)}/${handler}`;
  const body = JSON.stringify(argument);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(url, { method: 'POST', agent, headers }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => (text += piece));
    response.on('error', reject);
    response.on('end', () => {
      if ((response.statusCode ?? 500) < 300) resolve();
      else reject(new Error(`Restate returned ${response.statusCode}: ${text}`));
    });
  })
    .on('error', reject)
    .end(body);
  return promise;
}

let turns = 0;

serve({
  async turn(chat, text, emit) {
    turns += 1;
    const listener = `turn-${turns}`;
    listeners.set(listener, emit);
    try {
      await invoke(chat, 'turn', { text, listener });
    } finally {
      listeners.delete(listener);
    }
  },
  seed: (chat, n, size) => invoke(chat, 'seed', pastMessages(n, size)),
  storePids: [restateServer.pid],
  stop: () => restateServer.stop(),
});
