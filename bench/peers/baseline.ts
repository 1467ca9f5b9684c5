/*
 * The minimum for a durable agent server: `doStream` of the provider package and two commits per tool step, one for the
 * response before its tools run and one for the results. No locks, fences, queue, shared streams or crash recovery.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4Prompt, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { Pool } from 'pg';
import { pastMessages, POOL_SIZE, required, serve, SYSTEM_PROMPT } from '../server/contract.ts';
import { MessageTable } from './message-table.ts';

const model = createOpenAICompatible({
  name: 'scripted',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
  includeUsage: true,
})('scripted');

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

const pool = new Pool({ connectionString: required('DATABASE_URL'), max: POOL_SIZE });
const table = await MessageTable.create<Message>(pool);

async function turn(chat: string, text: string, emit: (delta: string) => void): Promise<void> {
  const messages = await table.load(chat);
  const store = async (message: Message) => {
    await table.append(chat, messages.length, [message]);
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

serve({
  turn,
  async seed(chat, n, size) {
    const past = pastMessages(n, size).map(({ role, content }): Message => ({
      role,
      content: [{ type: 'text', text: content }],
    }));
    await table.append(chat, 0, past);
  },
});
