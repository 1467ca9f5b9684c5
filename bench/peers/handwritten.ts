/* A loop without a framework: one INSERT for the user message, then one per step, awaited before the next step. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { Pool } from 'pg';
import {
  MAX_STEPS,
  pastMessages,
  POOL_SIZE,
  required,
  serve,
  SYSTEM_PROMPT,
} from '../server/contract.ts';
import { MessageTable } from './message-table.ts';

interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; arguments: string };
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string; readonly tool_calls?: readonly ToolCall[] };
  }[];
}

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'add',
      description: 'Add two numbers',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
    },
  },
];

const url = new URL(`${required('PROVIDER_URL')}/chat/completions`);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const pool = new Pool({ connectionString: required('DATABASE_URL'), max: POOL_SIZE });
const table = await MessageTable.create<Message>(pool);

function readCompletion(response: IncomingMessage, emit: (delta: string) => void) {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  let said = '';
  let call: ToolCall | undefined;
  const read = ({ choices }: Chunk) => {
    const delta = choices[0]?.delta;
    if (delta?.content) {
      said += delta.content;
      emit(delta.content);
    }
    for (const piece of delta?.tool_calls ?? []) {
      if (call === undefined) call = piece;
      else call.function.arguments += piece.function.arguments;
    }
  };
  let buffer = '';
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    buffer += piece;
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
      const data = buffer.slice('data: '.length, end);
      buffer = buffer.slice(end + 2);
      if (data !== '[DONE]') read(JSON.parse(data) as Chunk);
    }
  });
  response.on('error', reject);
  response.on('end', () =>
    resolve({ role: 'assistant', content: said || null, ...(call && { tool_calls: [call] }) }),
  );
  return promise;
}

function callModel(messages: readonly Message[], emit: (delta: string) => void): Promise<Message> {
  const body = JSON.stringify({
    model: 'scripted',
    stream: true,
    messages: [{ role: 'system', content: SYSTEM_PROMPT }, ...messages],
    tools: TOOLS,
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  request(url, { method: 'POST', agent, headers }, (response) => {
    readCompletion(response, emit).then(resolve, reject);
  })
    .on('error', reject)
    .end(body);
  return promise;
}

function runTool(call: ToolCall): Message {
  const { a, b } = JSON.parse(call.function.arguments) as { a: number; b: number };
  return { role: 'tool', tool_call_id: call.id, content: String(a + b) };
}

serve({
  async turn(chat, text, emit) {
    const messages = await table.load(chat);
    const store = async (added: readonly Message[]) => {
      await table.append(chat, messages.length, added);
      messages.push(...added);
    };
    await store([{ role: 'user', content: text }]);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const message = await callModel(messages, emit);
      const calls = message.tool_calls ?? [];
      await store([message, ...calls.map(runTool)]);
      if (calls.length === 0) return;
    }
  },
  seed: (chat, n, size) => table.append(chat, 0, pastMessages(n, size)),
});
