import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { afterAll, expect, test } from 'vitest';
import { answer, startFakeProvider, text, toolCall } from './index.ts';

const PROMPT: LanguageModelV4Prompt = [
  { role: 'user', content: [{ type: 'text', text: 'Look at the screen.' }] },
];
const PICTURE = `data:image/png;base64,${Buffer.from('pixels').toString('base64')}`;

const openai = await startFakeProvider({ api: 'openai-responses' });
const anthropic = await startFakeProvider({ api: 'anthropic' });
afterAll(() => Promise.all([openai.close(), anthropic.close()]));

async function call(
  model: LanguageModelV4,
  prompt: LanguageModelV4Prompt,
  id: 'openai.computer' | 'anthropic.computer_toolset_20260801',
) {
  const { content } = await model.doGenerate({
    prompt,
    tools: [{ type: 'provider', id, name: 'computer', args: {} }],
  });
  return content;
}

test("a call of OpenAI's computer tool is a separate item, and its safety checks must be acknowledged", async () => {
  const model = createOpenAI({ baseURL: openai.url, apiKey: 'sk-test' }).responses('gpt-5.4');
  const args = {
    actions: [{ type: 'click', button: 'left', x: 3, y: 4 }],
    pending_safety_checks: [{ id: 'sc', code: 'look', message: 'Look first.' }],
  };
  openai.answer(answer([toolCall('computer', args)]), answer([text('Seen.')]));
  const [called] = await call(model, PROMPT, 'openai.computer');
  expect(called).toMatchObject({ type: 'tool-call', toolName: 'computer' });
  if (called?.type !== 'tool-call') return;
  const input: unknown = JSON.parse(called.input);
  expect(input).toMatchObject({ actions: args.actions, pendingSafetyChecks: [{ id: 'sc' }] });
  const answered = (value: object): LanguageModelV4Prompt => [
    ...PROMPT,
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: called.toolCallId,
          toolName: 'computer',
          input,
          ...(called.providerMetadata && { providerOptions: called.providerMetadata }),
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: called.toolCallId,
          toolName: 'computer',
          output: { type: 'json', value: value as never },
        },
      ],
    },
  ];
  const output = { type: 'computer_screenshot', imageUrl: PICTURE };
  await expect(call(model, answered({ output }), 'openai.computer')).rejects.toThrow(
    'unacknowledged safety checks',
  );
  const confirmed = { output, acknowledgedSafetyChecks: [{ id: 'sc' }] };
  expect(await call(model, answered(confirmed), 'openai.computer')).toMatchObject([
    { type: 'text', text: 'Seen.' },
  ]);
});

test("an action of Anthropic's toolset is a separate tool", async () => {
  const model = createAnthropic({ baseURL: anthropic.url, apiKey: 'sk-test' })('claude-opus-5');
  anthropic.answer(answer([toolCall('computer', { action: 'left_click', coordinate: [3, 4] })]));
  const content = await call(model, PROMPT, 'anthropic.computer_toolset_20260801');
  const called = content.find((part) => part.type === 'tool-call');
  expect(called).toMatchObject({ toolName: 'computer' });
  expect(JSON.parse(called?.input ?? '')).toEqual({ action: 'left_click', coordinate: [3, 4] });
});
