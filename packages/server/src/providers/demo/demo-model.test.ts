import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { ManualClock } from '@chatd/loop/testing';
import { expect, test } from 'vitest';
import { TITLE_INSTRUCTIONS } from '../title-instructions.ts';
import { createDemo } from './index.ts';
import { INTENTS } from './intents.ts';

const user = (text: string): LanguageModelV4Prompt[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

const demo = () => createDemo({ pace: 'instant' })('demo');

async function answer(options: LanguageModelV4CallOptions, model = demo()): Promise<string> {
  const { content } = await model.doGenerate(options);
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const titled = (said: string) =>
  answer({
    prompt: [
      { role: 'system', content: TITLE_INSTRUCTIONS },
      user(`<user>\n${said}\n</user>\n<assistant>\nI will fail.\n</assistant>`),
    ],
  });

test('an unknown message is repeated, with a list of prompts to try', async () => {
  const said = 'Wie wird das Wetter?\nUnd warum?';

  const text = await answer({ prompt: [user(said)] });

  expect(text).toContain('> Wie wird das Wetter?\n> Und warum?');
  for (const intent of INTENTS) expect(text).toContain(`**${intent.try}**`);
});

test.each(INTENTS.map((intent) => [intent.try, intent] as const))(
  '"%s" matches the intent that suggests it',
  (said, intent) => {
    expect(INTENTS.find((each) => each.matches(said))).toBe(intent);
  },
);

test.each([
  ['Hello! Please use a tool.', 'use a tool'],
  ['hi', 'hello'],
  ['What can you do?', 'hello'],
  ['please fail twice', 'fail and retry'],
  ['fail permanently', 'fail for good'],
  ['be slow for 10 seconds', 'be slow'],
  ['Run `ls -la`', 'run a command'],
  ['change the file README.md', 'edit a file'],
])('"%s" is understood as "%s"', (said, offered) => {
  expect(INTENTS.find((intent) => intent.matches(said))?.try).toBe(offered);
});

test('a message about failures does not cause one', () => {
  const said = 'Why do my tests fail on Mondays?';
  expect(INTENTS.find((intent) => intent.matches(said))).toBeUndefined();
});

test('markdown shows headings, a list, a table, code, a link and a quote', async () => {
  const text = await answer({ prompt: [user('show me markdown')] });

  expect(text).toMatch(/^# /m);
  expect(text).toMatch(/^1\. /m);
  expect(text).toMatch(/^\| --- /m);
  expect(text).toMatch(/^```ts$/m);
  expect(text).toMatch(/\[.+\]\(https:.+\)/);
  expect(text).toMatch(/^> /m);
});

test('a title request is answered with a short title from the conversation', async () => {
  await expect(titled('please fail and retry that thing with the very long name')).resolves.toBe(
    'Please fail and retry that thing',
  );
  await expect(titled('hello')).resolves.toBe('Demo: Hello');
});

test('an earlier conversation counts as read from the cache', async () => {
  const model = demo();
  const first = await model.doGenerate({ prompt: [user('hello')] });
  const second = await model.doGenerate({
    prompt: [
      user('hello'),
      { role: 'assistant', content: [{ type: 'text', text: 'x'.repeat(400) }] },
      user('show me markdown'),
    ],
  });

  expect(first.usage.inputTokens.cacheRead).toBe(0);
  expect(second.usage.inputTokens.cacheRead).toBe(first.usage.inputTokens.total);
  expect(second.usage.inputTokens.noCache).toBeGreaterThan(100);
});

test('the model respects disabled reasoning and its output limit', async () => {
  const model = demo();
  const silent = await model.doGenerate({ prompt: [user('hello')], reasoning: 'none' });
  expect(silent.content.map(({ type }) => type)).toEqual(['text']);

  const short = await model.doGenerate({ prompt: [user('show me markdown')], maxOutputTokens: 5 });
  expect(short.finishReason.unified).toBe('length');
  expect(short.usage.outputTokens.total).toBeLessThan(10);
});

test('a prompt that failed twice and succeeded fails again the next time', async () => {
  const model = demo();
  const prompt = [user('fail and retry')];
  const outcomes: string[] = [];
  for (let count = 0; count < 6; count++) {
    outcomes.push(
      await answer({ prompt }, model).then(
        () => 'answer',
        (e: Error) => e.name,
      ),
    );
  }
  const failed = 'AI_APICallError';
  expect(outcomes).toEqual([failed, failed, 'answer', failed, failed, 'answer']);
});

test('an abort stops the model immediately and leaves no timer', async () => {
  const clock = new ManualClock();
  const stop = new AbortController();
  const model = createDemo({ clock })('demo');
  const { stream } = await model.doStream({ prompt: [user('be slow')], abortSignal: stop.signal });
  const reader = stream.getReader();
  const parts: LanguageModelV4StreamPart['type'][] = [];
  parts.push((await reader.read()).value?.type ?? 'raw');
  const waiting = reader.read();
  await clock.waiting(250);

  const reason = new Error('enough');
  stop.abort(reason);

  await expect(waiting).rejects.toBe(reason);
  expect(parts).toEqual(['stream-start']);
  expect(clock.pending).toEqual([]);
});

test('canceling the stream stops the model as well', async () => {
  const clock = new ManualClock();
  const { stream } = await createDemo({ clock })('demo').doStream({ prompt: [user('be slow')] });
  const reader = stream.getReader();
  await reader.read();
  void reader.read();
  await clock.waiting(250);

  await reader.cancel(new Error('gone'));

  expect(clock.pending).toEqual([]);
});
