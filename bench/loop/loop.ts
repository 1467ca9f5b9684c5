import { createAnthropic } from '@ai-sdk/anthropic';
import { codecModel, MemoryHistory, providerCodec, runTurn, tool } from '@chatd/loop';
import { z } from 'zod';
import { add, MODEL, QUESTION, type Subject, SYSTEM } from './subject.ts';

const tools = [
  tool({
    name: 'add',
    description: 'Adds two numbers.',
    input: z.object({ a: z.number(), b: z.number() }),
    idempotent: true,
    run: (args) => add(args),
  }),
];

function modelAt(baseURL: string) {
  const packaged = (fetch = globalThis.fetch) =>
    createAnthropic({ baseURL, apiKey: 'any', fetch })(MODEL);
  return codecModel(packaged(), {
    codec: providerCodec('anthropic', (fetch) => Promise.resolve(packaged(fetch))),
    url: (path) => baseURL + path,
    headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
  });
}

/** The chatd loop with an in-memory history, guards, live parts and commits. */
export const loop: Subject = {
  async run(baseURL) {
    const history = new MemoryHistory();
    history.send(QUESTION);
    let all = '';
    const outcome = await runTurn({
      model: modelAt(baseURL),
      history,
      tools,
      system: [SYSTEM],
      settings: { max_output_tokens: 4_096 },
      publish(event) {
        if (event.type === 'part' && event.part.type === 'text') all += event.part.text;
      },
    });
    if (outcome.type !== 'finished')
      throw new Error(`the turn ended as ${JSON.stringify(outcome)}`);
    return all;
  },
};
