import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { type ApiName, APIS, NAMES } from './support/apis.ts';
import { checkRequests } from './support/check-requests.ts';
import { codecRequest, packageRequest } from './support/requests.ts';
import { quick } from './support/runs.ts';

/** The options of reasoning, of text, and of calls, as the packages return them. */
const RETURNED: Partial<Record<ApiName, SharedV4ProviderOptions[]>> = {
  anthropic: [
    { anthropic: { signature: 'c2ln' } },
    {},
    { anthropic: { caller: { type: 'direct' } } },
  ],
  'openai-responses': [
    { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'ZW5j' } },
    { openai: { itemId: 'msg_1', phase: 'commentary' } },
    { openai: { itemId: 'fc_1' } },
  ],
  google: [{}, {}, { google: { thoughtSignature: 'c2ln' } }].map((each) => ({
    google: {},
    ...each,
  })),
};

function conversation(name: ApiName): LanguageModelV4Prompt {
  const [thought = {}, text = {}, call = {}] = RETURNED[name] ?? [];
  const mark = name === 'anthropic' && {
    providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  };
  const called = { toolCallId: 'call_1', toolName: 'weather' };
  return [
    { role: 'system', content: 'You are an agent.', ...mark },
    { role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Let me look.', providerOptions: thought },
        {
          type: 'text',
          text: 'One moment.',
          ...(name !== 'anthropic' && { providerOptions: text }),
        },
        { type: 'tool-call', ...called, input: { city: 'Rome' }, providerOptions: call },
      ],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', ...called, output: { type: 'text', value: 'Sunny' } }],
      ...mark,
    },
    { role: 'user', content: [{ type: 'text', text: 'And now?' }], ...mark },
  ];
}

const modelsOf = (name: ApiName): string[] =>
  RETURNED[name] === undefined
    ? []
    : APIS[name].models.filter((model) => !model.startsWith('gemma'));

describe.each(NAMES)('%s', (name) => {
  test.each(modelsOf(name))(
    'the codec encodes a typical conversation with %s like the package',
    async (model) => {
      const options = {
        prompt: conversation(name),
        maxOutputTokens: 1000,
        reasoning: 'low' as const,
      };
      const actual = await codecRequest(name, model, options);
      expect(actual).toBeDefined();
      expect(actual).toEqual(await packageRequest(name, model, options));
    },
  );

  test('a prompt that grows, shrinks, or ends differently is encoded like a new one', async () => {
    const [model = ''] = APIS[name].models;
    const [system, ...others] = conversation(name);
    const another = { role: 'user' as const, content: [{ type: 'text' as const, text: '…?' }] };
    const prompts = [1, 3, 4, 2, 4].flatMap((length) => {
      const prompt = [{ ...system! }, ...others.slice(0, length)];
      return [prompt, [...prompt, another]];
    });
    for (const prompt of prompts) {
      const actual = await codecRequest(name, model, { prompt });
      expect(actual).toEqual(await codecRequest(name, model, { prompt: structuredClone(prompt) }));
    }
  });

  test('the codec encodes random requests like the package', { timeout: 60_000 }, () =>
    checkRequests(name, quick(200)),
  );
});
