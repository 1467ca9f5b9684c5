/*
 * The minimum for a durable agent server: `doStream` of the provider package and two commits per tool step, one for the
 * response before its tools run and one for the results. No locks, fences, queue, shared streams or crash recovery.
 */
import { createServer, type ServerResponse } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4Prompt, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { Pool } from 'pg';
import { pastMessages, readJson, required, SYSTEM_PROMPT } from './contract.ts';

const model = createOpenAICompatible({
  name: 'scripted',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
  includeUsage: true,
})('scripted');
const pool = new Pool({ connectionString: required('DATABASE_URL'), max: 10 });
await pool.query(
  'create table if not exists msgs (chat text, seq int, body jsonb, primary key (chat, seq))',
);

const TOOLS = [
  {
    type: 'function' as const,
    name: 'add',
    description: 'Add two numbers',
    inputSchema: {
      type: 'object' as const,
      properties: { a: { type: 'number' as const }, b: { type: 'number' as const } },
      required: ['a', 'b'],
    },
  },
];

type Message = LanguageModelV4Prompt[number];

async function append(chat: string, count: number, messages: readonly Message[]): Promise<void> {
  await pool.query(
    `insert into msgs
     select $1, $2 + ordinality::int, value
       from jsonb_array_elements($3::jsonb) with ordinality`,
    [chat, count, JSON.stringify(messages)],
  );
}

async function load(chat: string): Promise<Message[]> {
  const { rows } = await pool.query<{ body: Message }>(
    'select body from msgs where chat = $1 order by seq',
    [chat],
  );
  return rows.map((row) => row.body);
}

async function turn(chat: string, text: string, emit: (delta: string) => void): Promise<void> {
  const messages = await load(chat);
  const store = async (message: Message) => {
    await append(chat, messages.length, [message]);
    messages.push(message);
  };
  await store({ role: 'user', content: [{ type: 'text', text }] });
  for (;;) {
    const { said, calls } = await callModel(messages, emit);
    await store({
      role: 'assistant',
      content: [
        ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
        ...calls.map(({ toolCallId, toolName, input }) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName,
          input: JSON.parse(input) as { a: number; b: number },
        })),
      ],
    });
    if (calls.length === 0) return;
    await store({ role: 'tool', content: calls.map(runTool) });
  }
}

async function callModel(messages: readonly Message[], emit: (delta: string) => void) {
  const { stream } = await model.doStream({
    prompt: [{ role: 'system', content: SYSTEM_PROMPT }, ...messages],
    tools: TOOLS,
  });
  let said = '';
  const calls: LanguageModelV4ToolCall[] = [];
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      said += part.delta;
      emit(part.delta);
    } else if (part.type === 'tool-call') calls.push(part);
  }
  return { said, calls };
}

function runTool({ toolCallId, toolName, input }: LanguageModelV4ToolCall) {
  const { a, b } = JSON.parse(input) as { a: number; b: number };
  const output = { type: 'json' as const, value: a + b };
  return { type: 'tool-result' as const, toolCallId, toolName, output };
}

const server = createServer((request, response) => {
  void (async () => {
    const body = await readJson(request);
    if (request.url === '/seed') {
      await append(
        body.chat,
        0,
        pastMessages(body.n, body.size).map(({ role, text }): Message => ({
          role,
          content: [{ type: 'text', text }],
        })),
      );
      response.end('ok');
    } else await answer(body.chat, body.text, response);
  })().catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});

async function answer(chat: string, text: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await turn(chat, text, (t) => response.write(`data: ${JSON.stringify({ t })}\n\n`));
  response.end('event: done\ndata: {}\n\n');
}

// Longer than the measurements of the other programs in between, so that connections are not closed on reuse.
server.keepAliveTimeout = 3_600_000;
server.listen(Number(required('PEER_PORT')), '127.0.0.1');
