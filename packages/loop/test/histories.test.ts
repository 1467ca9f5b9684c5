import { answer, type ScriptedAnswer, type Api, reasoning, text, toolCall } from '@chatd/testing';
import { describe, expect, test } from 'vitest';
import {
  type AwaitedTool,
  Media,
  MemoryHistory,
  type ModelSettings,
  runTurn,
  type Tool,
} from '@chatd/loop';
import { asked, partsOf, textOf, user } from './support/chat.ts';
import { png } from './support/images.ts';
import { resultOfSearch, searchWithoutResult } from './support/paused-search.ts';
import { strictProvider } from './support/provider.ts';
import { counted } from './support/tools.ts';

/*
 * Answers, tools, and files that once made a chat unusable. The providers are strict fakes: they reject what the real
 * service rejects, with the same message.
 */

const REASONING_APIS = [
  'anthropic',
  'openai-responses',
  'openai-compatible',
  'azure-responses',
  'google',
  'bedrock',
  'openrouter',
  'gateway',
] as const satisfies Api[];

const client: AwaitedTool = { name: 'ask_client', input: {}, answeredBy: 'client' };

interface SetupOptions {
  api: Api;
  model?: string;
  answers: ScriptedAnswer[];
  tools?: Tool[];
  settings?: ModelSettings;
}

function setup({ api, model: id, answers, tools = [], settings = {} }: SetupOptions) {
  const { provider, model } = strictProvider(api, id);
  provider.answer(...answers);
  const history = asked();
  const warnings: string[] = [];
  const warn = (warning: string) => warnings.push(warning);
  const run = () => runTurn({ model, history, tools, settings, warn });
  return { provider, history, run, warnings };
}

/** The history after a restart of the process. */
const readBack = (history: MemoryHistory) =>
  new MemoryHistory(JSON.parse(JSON.stringify(history.messages)));

type Ending = [what: string, parts: ScriptedAnswer['parts'], finish: 'length' | 'stop'];

const ENDINGS: Ending[] = [
  ['reasoning alone, cut off by the length limit', [reasoning('hm')], 'length'],
  ['reasoning alone', [reasoning('hm')], 'stop'],
  ['reasoning and blank text', [reasoning('hm'), text(' \n')], 'stop'],
  ['text, then reasoning', [text('well'), reasoning('hm')], 'length'],
];
const INTERLEAVED: Ending = [
  'reasoning, text, reasoning',
  [reasoning('a'), text('well'), reasoning('b')],
  'stop',
];

describe.each(REASONING_APIS)('%s', (api) => {
  // OpenRouter's package joins two pieces of reasoning into one: see "a rejected history".
  const endings = api === 'openrouter' ? ENDINGS : [...ENDINGS, INTERLEAVED];

  for (const store of api.endsWith('responses') ? [undefined, true, false] : [undefined]) {
    test.each(endings)(
      `the chat continues after an answer of %s (store: ${store})`,
      async (_, parts, finish) => {
        const settings =
          store === undefined ? {} : { provider_options: { [api.split('-')[0] ?? '']: { store } } };
        const answers = [answer(parts, { finish }), answer([text('fine')]), answer([text('gist')])];
        const { provider, history, run } = setup({ api, answers, settings });
        await run();
        history.send('and now?');
        expect(await run()).toEqual({ type: 'finished' });
        history.requestCompaction();
        expect(await run()).toEqual({ type: 'finished' });
        expect(provider.rejected).toEqual([]);
        expect(history.messages.filter((m) => m.meta?.summary)).toHaveLength(1);
      },
    );
  }
});

describe('a turn that Anthropic pauses', () => {
  const settings = { web_search: {} };
  const paused = answer([text('Searching.'), ...searchWithoutResult('srvtoolu_1', 1)], {
    finish: 'pause',
  });
  const rest = answer([...resultOfSearch('srvtoolu_1', 90), text('Found.')]);

  test('is sent back unchanged, and its result keeps its place in later prompts', async () => {
    const { provider, history, run } = setup({
      api: 'anthropic',
      answers: [paused, rest, answer([text('Bye.')])],
      settings,
    });
    expect(await run()).toEqual({ type: 'finished' });
    history.send('thanks');
    expect(await run()).toEqual({ type: 'finished' });
    expect(provider.rejected).toEqual([]);
    const sent = provider.requests.map(({ body }) => typesOf(body['messages']));
    expect(sent[1]?.at(-1)).toEqual(['text', 'server_tool_use']);
    expect(sent[2]?.[1]).toEqual(['text', 'server_tool_use', 'web_search_tool_result', 'text']);
  });

  test('continues without the call if the user sends a message first', async () => {
    const { history, run } = setup({ api: 'anthropic', answers: [paused, rest], settings });
    await run();
    const half = new MemoryHistory(history.messages.slice(0, 2));
    half.send('never mind');
    const { provider, model } = strictProvider('anthropic');
    provider.answer(answer([text('Fine.')]));
    expect(await runTurn({ model, history: half, settings })).toEqual({ type: 'finished' });
    expect(provider.rejected).toEqual([]);
    expect(typesOf(provider.requests[0]?.body['messages'])).toEqual([['text'], ['text'], ['text']]);
  });

  test('continues with a model of another provider', async () => {
    const { history, run } = setup({ api: 'anthropic', answers: [paused, rest], settings });
    await run();
    const half = new MemoryHistory(history.messages.slice(0, 2));
    const { provider, model } = strictProvider('google');
    provider.answer(answer([text('I go on.')]));
    expect(await runTurn({ model, history: half })).toEqual({ type: 'finished' });
    expect(provider.rejected).toEqual([]);
  });
});

describe('a summary while calls are open', () => {
  const full = { usage: { input: 900 } };
  const settings = { context_limit: 1000 };
  const picture = counted('picture', () => new Media([{ data: png(), media_type: 'image/png' }]));

  test.each(['google', 'openai-chat', 'openai-compatible', 'anthropic', 'bedrock'] as const)(
    'is accepted by %s, with both built-in and client calls and images among the results',
    async (api) => {
      const { provider, history, run } = setup({
        api,
        settings,
        tools: [picture, client],
        answers: [
          answer([toolCall('picture', {}), toolCall('ask_client', {})], full),
          answer([text('gist')]),
          answer([text('done')]),
        ],
      });
      expect(await run()).toMatchObject({ type: 'requires_action' });
      expect(history.messages.filter((m) => m.meta?.summary)).toHaveLength(1);
      const open = partsOf(history.messages, 'tool-call').find((c) => c.tool_name === client.name);
      history.answer([{ tool_call_id: open?.tool_call_id ?? '', result: 'yes' }]);
      expect(await run()).toEqual({ type: 'finished' });
      expect(provider.rejected).toEqual([]);
    },
  );
});

describe('tool names', () => {
  test.each([
    ['anthropic', 'web_search'],
    ['openai-responses', 'web_search'],
    ['google', 'google_search'],
  ] as const)('%s: a custom tool can have the name %s', async (api, name) => {
    const own = counted(name, () => 'mine');
    const { provider, history, run } = setup({
      api,
      tools: [own],
      settings: { web_search: {} },
      answers: [answer([toolCall(`${name}_2`, {})]), answer([text('done')])],
    });
    expect(await run()).toEqual({ type: 'finished' });
    expect(own.runs).toHaveLength(1);
    expect(partsOf(history.messages, 'tool-call')).toMatchObject([{ tool_name: name }]);
    expect(provider.rejected).toEqual([]);
  });
});

const sentTools = async (model: string, given: Tool[]) => {
  const answers = [answer([text('x')])];
  const options = { api: 'google' as const, model, tools: given, answers };
  const { provider, run, warnings } = setup({ ...options, settings: { web_search: {} } });
  await run();
  return { sent: JSON.stringify(provider.requests[0]?.body['tools']), warnings };
};

describe('Gemini with web search', () => {
  const tools = [counted('add')];
  test('before version 3, search is offered only if there are no functions', async () => {
    const mixed = await sentTools('gemini-2.5-flash', tools);
    expect(mixed.sent).toMatch(/^(?!.*googleSearch).*"add"/);
    expect(mixed.warnings).toEqual([expect.stringContaining('Web search was omitted')]);
    const alone = await sentTools('gemini-2.5-flash', []);
    expect(alone.sent).toContain('googleSearch');
    expect(alone.warnings).toEqual([]);
  });

  test('from version 3, both functions and search are offered', async () => {
    const { sent, warnings } = await sentTools('gemini-3-pro-preview', tools);
    expect(sent).toMatch(/googleSearch.*"add"/);
    expect(warnings).toEqual([]);
  });
});

test.each(['anthropic', 'google', 'bedrock', 'openai-chat', 'openrouter', 'gateway'] as const)(
  '%s: calls with arguments that are not an object are answered, and the turn continues',
  async (api) => {
    const { provider, history, run } = setup({
      api,
      tools: [counted('add')],
      answers: [
        answer([toolCall('add', '"hello"'), toolCall('add', '[1]'), toolCall('add', 'null')]),
        answer([text('done')]),
      ],
    });
    expect(await run()).toEqual({ type: 'finished' });
    expect(provider.rejected).toEqual([]);
    expect(textOf(history.messages)).toBe('done');
  },
);

const summary = (text: string) => ({
  ...user(text),
  hidden: true,
  meta: {
    summary: { source: 'automatic' as const, after_finish: false, steps: 0, reentries: 0 },
  },
});

test('messages that were unanswered at two summaries are all sent after a restart', async () => {
  const history = new MemoryHistory([
    user('first'),
    user('second'),
    summary('gist 1'),
    summary('gist 2'),
  ]);
  const { provider, model } = strictProvider('anthropic');
  provider.answer(answer([text('both')]));
  await runTurn({ model, history: readBack(history) });
  const sent = JSON.stringify(provider.requests[0]?.body['messages']);
  expect(sent).toMatch(/gist 2.*first.*second/);
});

const withoutTools = (body: object) => JSON.stringify({ ...body, tools: [], model: '' });

describe('a rejected history', () => {
  /** Each rejects more of the history, for an unknown reason. */
  const REFUSALS: [what: string, pattern: RegExp, fidelity: string][] = [
    [
      'reasoning',
      /"(?:thinking|reasoning)"|item_reference|reasoningContent|signature_\d/,
      'self-contained',
    ],
    ['calls', /tool_use|function_call|tool_calls|functionCall|toolUse|"tool-call"/, 'plain'],
  ];

  describe.each(['anthropic', 'openai-responses', 'google', 'bedrock', 'gateway'] as const)(
    '%s',
    (api) => {
      test.each(REFUSALS)(
        'is sent again without %s, and the turn continues',
        async (_, pattern, fidelity) => {
          const { provider, model } = strictProvider(api);
          const history = asked();
          const warnings: string[] = [];
          const options = {
            model,
            history,
            tools: [counted('add')],
            warn: (warning: string) => warnings.push(warning),
          };
          provider.answer(
            answer([reasoning('hm'), toolCall('add', {})]),
            answer([text('added')]),
            answer([text('fine')]),
          );
          await runTurn(options);
          provider.refuseWhen(
            ({ body }) => pattern.test(withoutTools(body)),
            'The moon is not full.',
          );
          history.send('and now?');
          expect(await runTurn(options)).toEqual({ type: 'finished' });
          expect(textOf(history.messages)).toBe('addedfine');
          expect(warnings.at(-1)).toMatch(/The moon is not full/);
          expect(warnings.at(-1)).toMatch(`Sent as ${fidelity} instead. Omitted or changed: reas`);
        },
      );
    },
  );

  test('that is rejected in every form fails the turn with the first error of the provider', async () => {
    const { provider, history, run } = setup({
      api: 'anthropic',
      tools: [counted('add')],
      answers: [answer([reasoning('hm'), toolCall('add', {})]), answer([text('added')])],
    });
    await run();
    provider.refuseWhen(() => true, 'The moon is not full.');
    history.send('and now?');
    expect(await run()).toMatchObject({
      type: 'failed',
      error: { kind: 'config', detail: 'The moon is not full.' },
    });
    expect(provider.rejected).toHaveLength(3);
    expect(history.status).toBe('error');
  });

  test('that has nothing to omit fails the turn without a retry', async () => {
    const { provider, run } = setup({ api: 'anthropic', answers: [] });
    provider.refuseWhen(() => true, 'The moon is not full.');
    expect(await run()).toMatchObject({ type: 'failed' });
    expect(provider.rejected).toHaveLength(1);
  });

  test('stays repaired for the rest of the turn', async () => {
    const { provider, run } = setup({
      api: 'anthropic',
      tools: [counted('add')],
      answers: [
        answer([reasoning('hm'), toolCall('add', {})]),
        answer([toolCall('add', {})]),
        answer([text('done')]),
      ],
    });
    provider.refuseWhen(({ body }) => /"thinking"/.test(JSON.stringify(body['messages'])), 'No.');
    expect(await run()).toEqual({ type: 'finished' });
    expect(provider.rejected).toHaveLength(1);
    expect(provider.requests).toHaveLength(4);
  });

  test('with reasoning that the package joined is sent without it', async () => {
    const [, parts, finish] = INTERLEAVED;
    const { provider, history, run } = setup({
      api: 'openrouter',
      answers: [answer(parts, { finish }), answer([text('fine')])],
    });
    await run();
    history.send('and now?');
    expect(await run()).toEqual({ type: 'finished' });
    expect(provider.rejected.map(({ message }) => message)).toMatchObject([
      expect.stringContaining('cannot be modified'),
    ]);
  });
});

function typesOf(messages: unknown): string[][] {
  return (messages as { content: { type: string }[] }[]).map(({ content }) =>
    content.map(({ type }) => type),
  );
}
