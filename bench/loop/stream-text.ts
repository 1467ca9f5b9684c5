import { createAnthropic } from '@ai-sdk/anthropic';
import { isStepCount, streamText as streamTextOf, tool } from 'ai';
import { z } from 'zod';
import { STEPS } from './scenario.ts';
import { add, MODEL, QUESTION, type Subject, SYSTEM } from './subject.ts';

const tools = {
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: add,
  }),
};

/** The loop of the AI SDK, with all parts consumed. */
export const streamText: Subject = {
  async run(baseURL) {
    const result = streamTextOf({
      model: createAnthropic({ baseURL, apiKey: 'any' })(MODEL),
      instructions: SYSTEM,
      prompt: QUESTION,
      tools,
      maxOutputTokens: 4_096,
      stopWhen: isStepCount(STEPS + 1),
      onError: ({ error }) => {
        throw error;
      },
    });
    let all = '';
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') all += part.text;
      if (part.type === 'error') throw part.error;
    }
    return all;
  },
};
