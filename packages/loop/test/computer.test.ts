import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type LocalTool,
  Media,
  MemoryFiles,
  type MemoryHistory,
  nativeComputer,
  runTurn,
} from '@chatd/loop';
import { answer, type FakeProvider, startFakeProvider, text, toolCall } from '@chatd/testing';
import { asked, partsOf, textOf } from './support/chat.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC',
  'base64',
);

const started = new Map<string, FakeProvider>();
afterEach(async () => {
  const all = [...started.values()];
  started.clear();
  const rejected = all.flatMap((fake) => fake.rejected);
  await Promise.all(all.map((fake) => fake.close()));
  if (rejected.length > 0) throw new Error(`the service refused: ${JSON.stringify(rejected)}`);
});

const SUBJECTS = {
  'Anthropic, versioned tool': {
    api: 'anthropic',
    model: (baseURL: string) => createAnthropic({ baseURL, apiKey: 'k' })('claude-sonnet-4-5'),
    call: { action: 'left_click', coordinate: [3, 4] },
    offered: { type: 'computer_20250124', name: 'computer', display_width_px: 1400 },
    answered: 'tool_result',
  },
  'Anthropic, toolset': {
    api: 'anthropic',
    model: (baseURL: string) => createAnthropic({ baseURL, apiKey: 'k' })('claude-opus-5'),
    call: { action: 'left_click', coordinate: [3, 4] },
    offered: { type: 'computer_toolset_20260801' },
    answered: '"toolset_name":"computer"',
  },
  OpenAI: {
    api: 'openai-responses',
    model: (baseURL: string) => createOpenAI({ baseURL, apiKey: 'k' }).responses('gpt-5.4'),
    call: { actions: [{ type: 'click', button: 'left', x: 3, y: 4 }] },
    offered: { type: 'computer' },
    answered: '"computer_call_output"',
  },
  'OpenAI, model without a native tool': {
    api: 'openai-responses',
    model: (baseURL: string) => createOpenAI({ baseURL, apiKey: 'k' }).responses('gpt-5'),
    call: { action: 'left_click', coordinate: [3, 4] },
    offered: { type: 'function', name: 'computer' },
    answered: '"function_call_output"',
  },
  'Google, no native tool': {
    api: 'google',
    model: (baseURL: string) => createGoogle({ baseURL, apiKey: 'k' })('gemini-3-pro-preview'),
    call: { action: 'left_click', coordinate: [3, 4] },
    offered: { functionDeclarations: [expect.objectContaining({ name: 'computer' })] },
    answered: 'functionResponse',
  },
} as const;
type Subject = (typeof SUBJECTS)[keyof typeof SUBJECTS];

const done: unknown[] = [];
const computer: LocalTool = {
  name: 'computer',
  input: { type: 'object' },
  idempotent: false,
  recentFiles: 20,
  native: (model) => nativeComputer(model, { width: 1400, height: 800 }),
  run(args) {
    done.push(args);
    return new Media([{ data: PIXEL, media_type: 'image/png', name: 'screenshot.png' }], 'Done.');
  },
};

async function turn(subject: Subject, history: MemoryHistory, files: MemoryFiles) {
  // Both turns share one provider, so that it recognizes its own ids.
  const fake = started.get(subject.api) ?? (await startFakeProvider({ api: subject.api }));
  started.set(subject.api, fake);
  fake.answer(answer([toolCall('computer', subject.call)]), answer([text('Clicked. ')]));
  const model = subject.model(fake.url);
  expect(await runTurn({ model, history, tools: [computer], files })).toEqual({ type: 'finished' });
  return fake;
}

describe.each(Object.entries(SUBJECTS))('%s', (_, subject) => {
  test("the tool is offered in the provider's format, runs locally, and its result has the provider's format", async () => {
    const history = asked('click on it');
    const fake = await turn(subject, history, new MemoryFiles());
    const [first, second] = fake.requests;
    expect(first?.body['tools']).toEqual([expect.objectContaining(subject.offered)]);
    expect(done.at(-1)).toMatchObject(subject.call);
    expect(JSON.stringify(second?.body)).toContain(subject.answered);
    expect(JSON.stringify(second?.body)).toContain(PIXEL.toString('base64'));
    expect(partsOf(history.messages, 'tool-result')).toMatchObject([{ is_media: true }]);
  });

  test.each(Object.entries(SUBJECTS))('continues a chat with calls of %s', async (_name, other) => {
    const files = new MemoryFiles();
    const history = asked('click on it');
    await turn(other, history, files);
    history.send('again');
    await turn(subject, history, files);
    expect(textOf(history.messages)).toBe('Clicked. Clicked. ');
  });
});
