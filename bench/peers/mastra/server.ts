/* Mastra: an agent with memory in PostgreSQL. Messages are saved after every step. */
import { randomUUID } from 'node:crypto';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { Memory } from '@mastra/memory';
import { PostgresStore } from '@mastra/pg';
import { z } from 'zod';
import {
  MAX_STEPS,
  pastMessages,
  POOL_SIZE,
  required,
  serve,
  SYSTEM_PROMPT,
} from '../../server/contract.ts';

const RESOURCE = 'user';
const SEED_BATCH = 100;
/** Above the number of messages in any chat: every turn gives the model the whole history. */
const LAST_MESSAGES = 10_000;

const storage = new PostgresStore({
  id: 'pg',
  connectionString: required('DATABASE_URL'),
  max: POOL_SIZE,
});
await storage.init();

const memory = new Memory({
  storage,
  options: {
    lastMessages: LAST_MESSAGES,
    semanticRecall: false,
    workingMemory: { enabled: false },
  },
});

const provider = createOpenAICompatible({
  name: 'scripted',
  baseURL: required('PROVIDER_URL'),
  apiKey: 'none',
  includeUsage: true,
});

const add = createTool({
  id: 'add',
  description: 'Add two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => Promise.resolve(String(a + b)),
});

const agent = new Agent({
  id: 'agent',
  name: 'agent',
  instructions: SYSTEM_PROMPT,
  model: provider('scripted'),
  tools: { add },
  memory,
});

// Registration gives the agent its storage.
void new Mastra({ agents: { agent }, storage, logger: false });

serve({
  async turn(chat, text, emit) {
    const result = await agent.stream(text, {
      memory: { thread: chat, resource: RESOURCE },
      maxSteps: MAX_STEPS,
      savePerStep: true,
    });
    for await (const delta of result.textStream) emit(delta);
  },
  async seed(chat, n, size) {
    await memory.createThread({ threadId: chat, resourceId: RESOURCE });
    const start = Date.now() - n * 1000;
    const messages = pastMessages(n, size).map(({ role, content }, index) => ({
      id: randomUUID(),
      role,
      // Mastra orders messages by time.
      createdAt: new Date(start + index * 1000),
      threadId: chat,
      resourceId: RESOURCE,
      type: 'text',
      content: { format: 2 as const, parts: [{ type: 'text' as const, text: content }] },
    }));
    for (let from = 0; from < n; from += SEED_BATCH) {
      await memory.saveMessages({ messages: messages.slice(from, from + SEED_BATCH) });
    }
  },
});
