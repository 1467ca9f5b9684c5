/* AI SDK: `streamText` runs the loop. Each finished step is inserted before the next one starts. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, type ModelMessage, streamText, tool } from 'ai';
import { Pool } from 'pg';
import { z } from 'zod';
import {
  MAX_STEPS,
  pastMessages,
  POOL_SIZE,
  required,
  serve,
  SYSTEM_PROMPT,
} from '../server/contract.ts';
import { MessageTable } from './message-table.ts';

const model = createOpenAICompatible({
  name: 'scripted',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
  includeUsage: true,
})('scripted');

const add = tool({
  description: 'Add two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => String(a + b),
});

const pool = new Pool({ connectionString: required('DATABASE_URL'), max: POOL_SIZE });
const table = await MessageTable.create<ModelMessage>(pool);

serve({
  async turn(chat, text, emit) {
    const messages = await table.load(chat);
    const message: ModelMessage = { role: 'user', content: text };
    await table.append(chat, messages.length, [message]);
    messages.push(message);
    let stored = messages.length;
    const result = streamText({
      model,
      tools: { add },
      instructions: SYSTEM_PROMPT,
      messages,
      stopWhen: isStepCount(MAX_STEPS),
      onStepFinish: async ({ response }) => {
        await table.append(chat, stored, response.messages);
        stored += response.messages.length;
      },
      onError: (error) => console.error(error),
    });
    for await (const delta of result.textStream) emit(delta);
  },
  seed: (chat, n, size) => table.append(chat, 0, pastMessages(n, size)),
});
