// A tool-calling agent. Runs without a key: node --conditions=chatd-source examples/agent.ts
import { createAnthropic } from '@ai-sdk/anthropic';
import { MemoryHistory, runTurn, tool } from '@chatd/loop';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { z } from 'zod';

// In place of the real service. With a key, leave `baseURL` out.
await using service = await startFakeProvider({ api: 'anthropic' });
service.answer(
  answer([
    text('Let me look. '),
    toolCall('weather', { city: 'Lisbon' }),
    toolCall('weather', { city: 'Oslo' }),
  ]),
  answer([text('Lisbon is warmer: 24 °C against 9 °C.', { chunks: 6 })]),
);
const anthropic = createAnthropic({ baseURL: service.url, apiKey: 'none' });

const weather = tool({
  name: 'weather',
  description: 'The temperature in a city',
  input: z.object({ city: z.string() }),
  idempotent: true,
  run: ({ city }) => ({ celsius: city === 'Lisbon' ? 24 : 9 }),
});

const history = new MemoryHistory();
history.send('Where is it warmer, in Lisbon or in Oslo?');
const outcome = await runTurn({
  model: anthropic('claude-sonnet-4-5'),
  history,
  tools: [weather],
  publish: (event) => {
    if (event.type !== 'part') return;
    if (event.part.type === 'text') process.stdout.write(event.part.text);
    if (event.part.type === 'tool-result')
      console.log('\n ', event.part.tool_name, event.part.result);
  },
});
console.log(`\n${outcome.type}, ${history.messages.length} messages`);
