/*
 * DBOS: a durable workflow per turn. Each model call and each tool call is a step; a model call is one `streamText` of
 * the AI SDK without a loop. Deltas go to the client from memory.
 */
import { randomUUID } from 'node:crypto';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { type ModelMessage, streamText, tool } from 'ai';
import { Pool } from 'pg';
import { z } from 'zod';
import {
  MAX_STEPS,
  pastMessages,
  POOL_SIZE,
  required,
  serve,
  SYSTEM_PROMPT,
} from '../../server/contract.ts';
import { MessageTable } from '../message-table.ts';

const model = createOpenAICompatible({
  name: 'scripted',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
  includeUsage: true,
})('scripted');

/** Without `execute`, `streamText` stops at the tool call, and the workflow runs the tool as a step. */
const add = tool({
  description: 'Add two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
});

const pool = new Pool({ connectionString: required('DATABASE_URL'), max: POOL_SIZE });
const table = await MessageTable.create<ModelMessage>(pool);

/** By workflow ID. */
const listeners = new Map<string, (delta: string) => void>();

async function callModel(messages: ModelMessage[]) {
  const result = streamText({ model, tools: { add }, system: SYSTEM_PROMPT, messages });
  const emit = listeners.get(DBOS.workflowID ?? '');
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

async function runTurn(chat: string, text: string): Promise<void> {
  const messages = await DBOS.runStep(() => table.load(chat), { name: 'load' });
  const before = messages.length;
  messages.push({ role: 'user', content: text });
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const answer = await DBOS.runStep(() => callModel(messages), { name: 'model' });
    messages.push(...answer.messages);
    if (answer.calls.length === 0) break;
    for (const { toolCallId, input } of answer.calls) {
      const run = () => Promise.resolve(String(input.a + input.b));
      messages.push(toolMessage(toolCallId, await DBOS.runStep(run, { name: 'tool' })));
    }
  }
  await DBOS.runStep(() => table.append(chat, before, messages.slice(before)), { name: 'save' });
}

const turnWorkflow = DBOS.registerWorkflow(runTurn, { name: 'turn' });

DBOS.setConfig({
  name: 'peer',
  systemDatabaseUrl: required('DATABASE_URL'),
  systemDatabasePoolSize: POOL_SIZE,
  logLevel: 'error',
});
await DBOS.launch();

serve({
  async turn(chat, text, emit) {
    const workflowID = randomUUID();
    listeners.set(workflowID, emit);
    try {
      const handle = await DBOS.startWorkflow(turnWorkflow, { workflowID })(chat, text);
      await handle.getResult();
    } finally {
      listeners.delete(workflowID);
    }
  },
  seed: (chat, n, size) => table.append(chat, 0, pastMessages(n, size)),
});
