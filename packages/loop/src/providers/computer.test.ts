import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { inNativeForm } from '../prompt/native-form.ts';
import type { NativeTool } from '../tools/native-tool.ts';
import { nativeComputer } from './computer.ts';

const SIZE = { width: 1400, height: 800 };
const idFor = (provider: string, modelId: string) =>
  nativeComputer({ provider, modelId }, SIZE)?.id;

test.each([
  ['claude-opus-5-5', 'anthropic.computer_toolset_20260801'],
  ['claude-sonnet-5', 'anthropic.computer_toolset_20260801'],
  ['claude-fable-5-1', 'anthropic.computer_toolset_20260801'],
  ['claude-opus-4-8', 'anthropic.computer_toolset_20260801'],
  ['claude-opus-4-7', 'anthropic.computer_20251124'],
  ['claude-sonnet-4-6', 'anthropic.computer_20251124'],
  ['claude-sonnet-4-5-20250929', 'anthropic.computer_20250124'],
  ['claude-haiku-4-5', 'anthropic.computer_20250124'],
  ['claude-opus-4-1', 'anthropic.computer_20250124'],
  ['claude-sonnet-4-20250514', 'anthropic.computer_20250124'],
  ['claude-3-opus', undefined],
])('%s is given %s', (model, id) => {
  expect(idFor('anthropic.messages', model)).toBe(id);
});

test.each([
  ['gpt-5.4', 'openai.computer'],
  ['gpt-5.4-mini', 'openai.computer'],
  ['gpt-5.4-2026-03-05', 'openai.computer'],
  ['gpt-6.1-sol', 'openai.computer'],
  ['gpt-5.4-nano', undefined],
  ['gpt-5.2', undefined],
  ['gpt-4o', undefined],
])('%s is given %s', (model, id) => {
  expect(idFor('openai.responses', model)).toBe(id);
});

test('providers that host models of others get an ordinary function', () => {
  expect(idFor('gateway', 'anthropic/claude-opus-5')).toBeUndefined();
  expect(idFor('amazon-bedrock', 'anthropic.claude-opus-5')).toBeUndefined();
  expect(idFor('azure.responses', 'gpt-5.4')).toBeUndefined();
});

test('models that need the screen size get the size of the screenshots', () => {
  expect(
    nativeComputer({ provider: 'anthropic.messages', modelId: 'claude-opus-4-6' }, SIZE)?.args,
  ).toEqual({ displayWidthPx: 1400, displayHeightPx: 800, enableZoom: true });
});

const openai = nativeComputer({ provider: 'openai.responses', modelId: 'gpt-5.4' }, SIZE);
const anthropic = nativeComputer(
  { provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
  SIZE,
);

const history = (input: object, own: boolean): LanguageModelV4Prompt => [
  {
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        toolCallId: 'c1',
        toolName: 'computer',
        input,
        ...(own && { providerOptions: { openai: { itemId: 'item' } } }),
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'computer',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'The pointer is at 3, 4.' },
            {
              type: 'file',
              data: { type: 'data', data: Buffer.from('pixels') },
              mediaType: 'image/png',
            },
          ],
        },
      },
    ],
  },
];

const converted = (prompt: LanguageModelV4Prompt, native: NativeTool | undefined) =>
  inNativeForm(prompt, new Map(native === undefined ? [] : [['computer', native]]));

test("the result of OpenAI's native call is only a screenshot, and the text follows in a user message", () => {
  const check = { id: 'sc', code: 'malicious_instructions', message: 'Look at it.' };
  const input = { actions: [{ type: 'screenshot' }], pendingSafetyChecks: [check] };
  expect(converted(history(input, true), openai)).toMatchObject([
    { role: 'assistant', content: [{ toolName: 'computer' }] },
    {
      role: 'tool',
      content: [
        {
          toolName: 'computer',
          output: {
            type: 'json',
            value: {
              output: {
                type: 'computer_screenshot',
                imageUrl: `data:image/png;base64,${Buffer.from('pixels').toString('base64')}`,
              },
              acknowledgedSafetyChecks: [check],
            },
          },
        },
      ],
    },
    { role: 'user', content: [{ text: expect.stringContaining('The pointer is at 3, 4.') }] },
  ]);
});

test.each([
  ['OpenAI', openai, { action: 'left_click', coordinate: [1, 2] }],
  ['OpenAI, without an item id', openai, { actions: [{ type: 'screenshot' }] }],
  ['Anthropic', anthropic, { actions: [{ type: 'screenshot' }] }],
])("a call in another model's format becomes a function call for %s", (_, native, input) => {
  const prompt = converted(history(input, false), native);
  expect(prompt).toMatchObject([
    { content: [{ toolName: 'computer_function' }] },
    { content: [{ toolName: 'computer_function', output: { type: 'content' } }] },
  ]);
});

test("calls in the model's own format are unchanged", () => {
  const prompt = history({ action: 'screenshot' }, false);
  expect(converted(prompt, anthropic)).toEqual(prompt);
  expect(converted(prompt, undefined)).toBe(prompt);
});
