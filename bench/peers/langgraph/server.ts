/* LangGraph: the prebuilt agent with the PostgreSQL checkpointer. A checkpoint is stored before the next step starts. */
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
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

const pool = new Pool({ connectionString: required('DATABASE_URL'), max: POOL_SIZE });
const checkpointer = new PostgresSaver(pool);
await checkpointer.setup();

const model = new ChatOpenAI({
  model: 'scripted',
  apiKey: 'none',
  configuration: { baseURL: required('PROVIDER_URL') },
  streaming: true,
  useResponsesApi: false,
});

const add = tool(({ a, b }) => String(a + b), {
  name: 'add',
  description: 'Add two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
});

const agent = createReactAgent({
  llm: model,
  tools: [add],
  prompt: SYSTEM_PROMPT,
  checkpointSaver: checkpointer,
});

serve({
  async turn(chat, text, emit) {
    const stream = await agent.stream(
      { messages: [new HumanMessage(text)] },
      {
        configurable: { thread_id: chat },
        streamMode: 'messages',
        durability: 'sync',
        // The graph counts a model call and its tool calls as two steps.
        recursionLimit: MAX_STEPS * 2,
      },
    );
    for await (const [message] of stream) {
      const { content } = message;
      if (message.getType() === 'ai' && typeof content === 'string' && content !== '') {
        emit(content);
      }
    }
  },
  async seed(chat, n, size) {
    const messages = pastMessages(n, size).map(({ role, content }, index) => {
      const fields = { id: `seed-${index}`, content };
      return role === 'user' ? new HumanMessage(fields) : new AIMessage(fields);
    });
    await agent.updateState({ configurable: { thread_id: chat } }, { messages }, 'agent');
  },
});
