// Interrupts an answer, then goes on. Runs without a key: node --conditions=chatd-source examples/interrupt.ts
import { createOpenAI } from '@ai-sdk/openai';
import { Interrupted, LiveParts, MemoryHistory, runTurn } from '@chatd/loop';
import { answer, gate, startFakeProvider, text } from '@chatd/testing';

// In place of the real service. Its first answer stops in the middle until we have had enough.
const hold = gate();
await using service = await startFakeProvider({ api: 'openai-responses' });
service.answer(
  answer([
    text(['Once upon a time ', 'there was a very long story', hold, ' that went on and on.']),
  ]),
  answer([text('In short: they lived happily ever after.', { chunks: 4 })]),
);
const model = createOpenAI({ baseURL: service.url, apiKey: 'none' }).responses('gpt-5');

const history = new MemoryHistory();
history.send('Tell me a story.');

const stop = new AbortController();
const live = new LiveParts();
const first = runTurn({ model, history, signal: stop.signal, publish: live.publish });
for await (const event of live) {
  if (event.type !== 'part' || event.part.type !== 'text') continue;
  process.stdout.write(event.part.text);
  if (event.part.text.endsWith('long story')) break;
}
stop.abort(new Interrupted());
console.log(` …\n${(await first).type}`);

// What was said until then is in the history; the next turn builds on it.
history.send('Shorter, please.');
const second = await runTurn({ model, history });
for (const { role, content } of history.messages) {
  console.log(
    `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type)).join('')}`,
  );
}
console.log(second.type);
