import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pdf, png } from '../../test/support/images.ts';
import { MemoryFiles } from '../files.ts';
import type { HistoryMessage, HistoryPart } from '../history/message.ts';
import { familyOf } from '../providers/family.ts';
import { toolNames } from '../tools/names.ts';
import { arrange, Arrangement } from './arrange.ts';
import type { Conversion } from './conversion.ts';
import { PromptBuilder } from './prompt-builder.ts';

const files = new MemoryFiles();
const to = (provider = 'anthropic.messages', own: Partial<Conversion> = {}): Conversion => ({
  family: familyOf(provider),
  provider,
  model: 'm',
  names: toolNames([]),
  files,
  stored: false,
  chained: false,
  fidelity: 'full',
  ...own,
});
const said = (content: HistoryPart[], meta: HistoryMessage['meta'] = {}): HistoryMessage => ({
  role: 'assistant',
  content,
  meta: { finish_reason: 'stop', provider: 'anthropic.messages', model: 'm', ...meta },
});
const user = (text: string): HistoryMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
});
const build = (messages: HistoryMessage[], conversion = to()) =>
  new PromptBuilder(conversion).build(messages);

const typesIn = async (messages: HistoryMessage[], conversion: Conversion) =>
  (await build(messages, conversion)).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.map(({ type }) => type),
  );

const so: HistoryPart = { type: 'text', text: 'so' };
const signed = { anthropic: { signature: 's' } };
const search: HistoryPart = {
  type: 'tool-call',
  tool_call_id: 's',
  tool_name: 'web_search',
  args: { query: 'q' },
  provider_executed: true,
};
const found: HistoryPart = {
  type: 'tool-result',
  tool_call_id: 's',
  tool_name: 'web_search',
  result: [{ url: 'u' }],
  provider_executed: true,
  provider_metadata: { anthropic: { encrypted: 'e' } },
};
const call: HistoryPart = {
  type: 'tool-call',
  tool_call_id: 'l',
  tool_name: 'read',
  args: { p: 1 },
};

test('blank text is omitted, and so is blank reasoning without metadata', async () => {
  const message = said([
    { type: 'text', text: ' \n' },
    { type: 'reasoning', text: '' },
    { type: 'reasoning', text: '', provider_metadata: { anthropic: { redactedData: 'r' } } },
    { type: 'text', text: 'x' },
  ]);
  expect(await build([message])).toEqual([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'r' } } },
        { type: 'text', text: 'x' },
      ],
    },
  ]);
});

test('a message without remaining content is omitted', async () => {
  expect(await build([user(' '), said([{ type: 'text', text: '' }]), user('x')])).toHaveLength(1);
});

test('sources and chat_summarized calls and results are not sent back', async () => {
  const messages: HistoryMessage[] = [
    user('x'),
    said([
      { type: 'source', source_id: '1', url: 'u' },
      { type: 'text', text: 'y' },
    ]),
    {
      role: 'assistant',
      content: [{ ...call, tool_name: 'chat_summarized' }],
      meta: { compaction: { source: 'automatic' } },
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', tool_call_id: 'l', tool_name: 'chat_summarized', result: 1 },
      ],
    },
  ];
  expect((await build(messages)).map((m) => m.role)).toEqual(['user', 'assistant']);
  expect((await build(messages))[1]?.content).toHaveLength(1);
});

test('a provider-executed result stays in the assistant message, right after its call; local results follow in a tool message', async () => {
  const messages: HistoryMessage[] = [
    said([{ type: 'text', text: 'a' }, search, call, found], { finish_reason: 'tool-calls' }),
    {
      role: 'tool',
      content: [{ type: 'tool-result', tool_call_id: 'l', tool_name: 'read', result: 'r' }],
      meta: { provider: 'anthropic.messages' },
    },
  ];
  const [assistant, tool] = await build(messages);
  expect(assistant).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'text' },
      { type: 'tool-call', toolCallId: 's', providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 's',
        output: { type: 'json', value: [{ url: 'u' }] },
        providerOptions: { anthropic: { encrypted: 'e' } },
      },
      { type: 'tool-call', toolCallId: 'l', input: { p: 1 } },
    ],
  });
  expect(tool).toMatchObject({ role: 'tool', content: [{ toolCallId: 'l' }] });
});

test('files that the model generated are kept and sent back', async () => {
  const data = png();
  const file_id = await files.save({ data, media_type: 'image/png' });
  const drawn = said([{ type: 'file', file_id, media_type: 'image/png' }]);
  expect(await build([drawn], to('google.generative-ai'))).toEqual([
    {
      role: 'assistant',
      content: [
        {
          type: 'file',
          data: { type: 'data', data: Buffer.from(data).toString('base64') },
          mediaType: 'image/png',
        },
      ],
    },
  ]);
  // A provider without file parts in answers gets a note.
  expect(await build([drawn])).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: '[a file was made here: image/png]' }] },
  ]);
});

test('a note replaces a file that the model does not support, attached or in a result', async () => {
  const media_type = 'audio/ogg';
  const file_id = await files.save({ data: new Uint8Array([1]), media_type, name: 'voice.ogg' });
  const attached: HistoryMessage = {
    role: 'user',
    content: [{ type: 'file', file_id, media_type }],
  };
  const result: HistoryMessage = {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        tool_call_id: 'l',
        tool_name: 'read',
        result: 'it',
        file_ids: [file_id],
      },
    ],
  };
  const history = [attached, said([call]), result];
  const prompt = JSON.stringify(await build(history));
  expect(
    prompt.match(/file \\"voice\.ogg\\" cannot be shown: the model does not take audio\/ogg/g),
  ).toHaveLength(2);
  expect(prompt).not.toContain('"type":"file"');
  expect(JSON.stringify(await build(history, to('google.generative-ai')))).not.toContain('cannot');
});

test('for Bedrock, a document without text gets a text part', async () => {
  const media_type = 'application/pdf';
  const file_id = await files.save({ data: pdf(), media_type });
  const attached: HistoryMessage = {
    role: 'user',
    content: [{ type: 'file', file_id, media_type }],
  };
  const typesFor = (provider: string) => typesIn([attached], to(provider));
  expect(await typesFor('amazon-bedrock')).toEqual(['text', 'file']);
  expect(await typesFor('anthropic.messages')).toEqual(['file']);
});

test('attached text is sent as text, images as files, and references with their lines', async () => {
  const text = await files.save({
    data: Buffer.from('a,b'),
    media_type: 'text/csv',
    name: 't.csv',
  });
  const image = await files.save({ data: png(), media_type: 'image/png' });
  const [message] = await build([
    {
      role: 'user',
      content: [
        { type: 'file', file_id: text, media_type: 'text/csv', name: 't.csv' },
        { type: 'file', file_id: image, media_type: 'image/png' },
        { type: 'file-reference', file_name: 'm.go', start_line: 3, end_line: 4, content: 'func' },
      ],
    },
  ]);
  expect(message?.content).toEqual([
    { type: 'text', text: '[t.csv]\na,b' },
    {
      type: 'file',
      data: { type: 'data', data: png().toString('base64') },
      mediaType: 'image/png',
    },
    { type: 'text', text: '[m.go, lines 3-4]\nfunc' },
  ]);
});

test.each([
  ['anthropic.messages', signed, true],
  ['anthropic.messages', { anthropic: {} }, false],
  ['openai.responses', { openai: { itemId: 'i', reasoningEncryptedContent: 'e' } }, true],
  ['openai.responses', { openai: { itemId: 'i', reasoningEncryptedContent: null } }, false],
  ['google.generative-ai', { google: { thoughtSignature: 't' } }, true],
  ['google.generative-ai', { google: {} }, false],
])('reasoning for %s with %o is sent back: %s', async (provider, provider_metadata, sent) => {
  const meta = { provider, unstored: true } as const;
  const message = said([{ type: 'reasoning', text: 'hm', provider_metadata }, so], meta);
  expect(await typesIn([message], to(provider))).toEqual(sent ? ['reasoning', 'text'] : ['text']);
});

test('reasoning that the provider stores is sent back by its id', async () => {
  const message = said(
    [{ type: 'reasoning', text: 'hm', provider_metadata: { openai: { itemId: 'i' } } }, so],
    { provider: 'openai.responses' },
  );
  expect(await typesIn([message], to('openai.responses', { stored: true }))).toContain('reasoning');
});

test('items are not referenced if they were sent with another `store` setting', async () => {
  const provider = 'openai.responses';
  const metadata = { openai: { itemId: 'i', reasoningEncryptedContent: 'e' } };
  const parts: HistoryPart[] = [
    { type: 'reasoning', text: 'hm', provider_metadata: metadata },
    { type: 'text', text: 'so', provider_metadata: { openai: { itemId: 'm' } } },
  ];
  const sent = async (unstored: boolean, stored: boolean) => {
    const message = said(parts, { provider, ...(unstored && { unstored }) });
    return JSON.stringify(await build([message], to(provider, { stored })));
  };
  expect(await sent(true, true)).not.toContain('itemId');
  expect(await sent(false, false)).not.toContain('itemId');
  expect(await sent(true, false)).toContain('itemId');
  expect(await sent(false, true)).toContain('itemId');
});

const resultOf = (tool_call_id: string, file_ids?: string[]): HistoryMessage => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      tool_call_id,
      tool_name: 'read',
      result: 1,
      ...(file_ids && { file_ids }),
    },
  ],
});

test('the results of one response are in one message, before the messages with their files', async () => {
  const image = await files.save({ data: png(), media_type: 'image/png' });
  const second: HistoryPart = { ...call, tool_call_id: 'm' };
  const history = [
    user('x'),
    said([call, second]),
    resultOf('l', [image]),
    resultOf('m'),
    user('y'),
  ];
  const prompt = arrange(await build(history, to('openai.chat')));
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'user']);
  expect(prompt[2]?.content).toHaveLength(2);
});

test('for a provider without signatures, complete reasoning is sent back and partial reasoning is not', async () => {
  const whole = said([{ type: 'reasoning', text: 'hm' }, so], { provider: 'deepseek.chat' });
  const half = said([{ type: 'reasoning', text: 'hm' }, so], {
    provider: 'deepseek.chat',
    finish_reason: 'interrupted',
  });
  expect(await typesIn([whole], to('deepseek.chat'))).toEqual(['reasoning', 'text']);
  expect(await typesIn([half], to('deepseek.chat'))).toEqual(['text']);
});

test('after a provider switch, foreign blocks become text and foreign signatures are dropped', async () => {
  const message = said([
    { type: 'reasoning', text: 'hm', provider_metadata: signed },
    search,
    found,
    { type: 'text', text: 'x', provider_metadata: { anthropic: { a: 1 } } },
    { ...call, provider_metadata: { anthropic: { b: 1 } } },
  ]);
  expect(await build([message], to('openai.responses'))).toEqual([
    {
      role: 'assistant',
      content: [
        {
          type: 'text',
          text: '[web_search was called with {"query":"q"} and returned: [{"url":"u"}]]',
        },
        { type: 'text', text: 'x' },
        { type: 'tool-call', toolCallId: 'l', toolName: 'read', input: { p: 1 } },
      ],
    },
  ]);
});

test('after a model switch, only the reasoning is dropped', async () => {
  const message = said([
    { type: 'reasoning', text: 'hm', provider_metadata: signed },
    search,
    found,
  ]);
  const [converted] = await build([message], to('anthropic.messages', { model: 'other' }));
  expect(converted?.content).toMatchObject([
    { type: 'tool-call', providerExecuted: true },
    { type: 'tool-result' },
  ]);
});

test('a self-contained prompt does not reference items that the provider stores', async () => {
  const message = said(
    [
      { type: 'reasoning', text: 'r', provider_metadata: { openai: { itemId: 'rs' } } },
      { type: 'text', text: 'x', provider_metadata: { openai: { itemId: 'msg' } } },
    ],
    { provider: 'openai.responses' },
  );
  const conversion = to('openai.responses', { stored: true, fidelity: 'self-contained' });
  expect(await build([message], conversion)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
  ]);
});

test('the items of an interrupted response are not referenced, because it was never stored', async () => {
  const content: HistoryPart[] = [
    { type: 'text', text: 'x', provider_metadata: { openai: { itemId: 'msg' } } },
  ];
  const message = said(content, { provider: 'openai.responses', finish_reason: 'interrupted' });
  const [converted] = await build([message], to('openai.responses', { stored: true }));
  expect(converted?.content).toEqual([{ type: 'text', text: 'x' }]);
});

test('call ids are legal for every provider, in the call and in its result', async () => {
  const odd = 'call:1/ä';
  const messages: HistoryMessage[] = [
    said([{ ...call, tool_call_id: odd }], { finish_reason: 'tool-calls' }),
    {
      role: 'tool',
      content: [{ type: 'tool-result', tool_call_id: odd, tool_name: 'read', result: 1 }],
    },
  ];
  const [assistant, tool] = await build(messages);
  expect(assistant?.content).toMatchObject([{ toolCallId: 'call_1__' }]);
  expect(tool?.content).toMatchObject([{ toolCallId: 'call_1__' }]);
});

const picture = (n: number): HistoryMessage => ({
  role: 'user',
  content: [{ type: 'file', file_id: `${n}`, media_type: 'image/png' }],
});

test('each step loads and converts only new messages', async () => {
  let loads = 0;
  const counting = {
    load: () => (loads++, Promise.resolve({ data: png(), media_type: 'image/png' })),
    save: () => Promise.resolve(''),
  };
  const builder = new PromptBuilder(to('anthropic.messages', { files: counting }));
  const history = Array.from({ length: 80 }, (_, n) => picture(n));
  const first = await builder.build(history);
  expect(loads).toBe(80);
  const second = await builder.build([...history, picture(80), user('x')]);
  expect(loads).toBe(81);
  expect(second).toHaveLength(82);
  // The converted messages are the same objects, and an earlier prompt does not change.
  expect(second[79]).toBe(first[79]);
  expect(first).toHaveLength(80);
});

test('messages that are appended to the same array are converted', async () => {
  const builder = new PromptBuilder(to());
  const messages = [user('a')];
  await builder.build(messages);
  messages.push(user('b'));
  expect(await builder.build(messages)).toHaveLength(2);
});

test('adding or removing a summary changes the prompt', async () => {
  const builder = new PromptBuilder(to());
  const [a, b, c] = [user('a'), user('b'), user('c')];
  const mark = { source: 'manual' as const, after_finish: true, steps: 0, reentries: 0 };
  const answer = said([{ type: 'text', text: 'x' }]);
  const summary: HistoryMessage = { ...user('sum'), hidden: true, meta: { summary: mark } };
  await builder.build([a, answer]);
  expect(await builder.build([a, answer, summary, b])).toHaveLength(2);
  expect(await builder.build([a, answer, summary, b, c])).toHaveLength(3);
  expect(await builder.build([a, answer, c])).toHaveLength(3);
});

test('an edited history drops the messages that were converted after the change', async () => {
  const builder = new PromptBuilder(to());
  const [a, b, c] = [user('a'), user('b'), user('c')];
  await builder.build([a, b]);
  expect(await builder.build([a, c])).toMatchObject([
    { content: [{ text: 'a' }] },
    { content: [{ text: 'c' }] },
  ]);
  expect(await builder.build([a])).toHaveLength(1);
});

test('the next turn reuses converted messages unless the model or a tool name changed', async () => {
  const result: HistoryMessage = {
    role: 'tool',
    content: [{ type: 'tool-result', tool_call_id: 'l', tool_name: 'read', result: 'x' }],
  };
  const history = [user('x'), said([call]), result];
  const first = await build(history);
  const longer = [...history, said([so]), user('y')];
  const second = await build(longer);
  expect(second.slice(0, 3).every((message, at) => message === first[at])).toBe(true);
  expect(second).toEqual(await build(structuredClone(longer)));
  const renamed: Conversion = {
    ...to(),
    names: { toProvider: (name) => `${name}_2`, fromProvider: (name) => name },
  };
  for (const other of [renamed, to('openai.chat')]) {
    expect(await build(longer, other)).toEqual(await build(structuredClone(longer), other));
  }
});

test('a converted history with files is not kept for the next turn', async () => {
  let loads = 0;
  const files = {
    load: () => (loads++, Promise.resolve({ data: png(), media_type: 'image/png' })),
    save: () => Promise.resolve(''),
  };
  const history = [user('x'), picture(1)];
  await build(history, to('anthropic.messages', { files }));
  await build(history, to('anthropic.messages', { files }));
  expect(loads).toBe(2);
});

const calls = (...ids: string[]) =>
  ids.map((toolCallId) => ({ type: 'tool-call' as const, toolCallId, toolName: 't', input: {} }));
const results = (...ids: string[]) =>
  ids.map((toolCallId) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName: 't',
    output: { type: 'text' as const, value: toolCallId },
  }));

test('arranging messages incrementally has the same result as arranging them all at once', () => {
  const searched = { ...calls('s')[0]!, providerExecuted: true };
  const message = fc.constantFrom<LanguageModelV4Prompt[number]>(
    { role: 'user', content: [{ type: 'text', text: 'u' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', content: calls('1', '2') },
    { role: 'assistant', content: [searched] },
    { role: 'assistant', content: [...results('s'), ...calls('1')] },
    { role: 'tool', content: results('1') },
    { role: 'tool', content: results('2', '1') },
  );
  fc.assert(
    fc.property(fc.array(message), fc.array(message), (messages, others) => {
      const arrangement = new Arrangement();
      const prompts = messages.map((_, at) => messages.slice(0, at + 1));
      for (const prompt of [...prompts, [...messages.slice(0, 2), ...others], messages]) {
        expect(arrangement.of(prompt)).toEqual(arrange(prompt));
      }
    }),
    { numRuns: 300 },
  );
});

test('an empty result becomes a text for Bedrock, which rejects empty results', async () => {
  const silent: HistoryMessage = {
    role: 'tool',
    content: [{ type: 'tool-result', tool_call_id: 'l', tool_name: 'read', result: '' }],
  };
  const outputOf = async (provider: string) => {
    const prompt = await build([user('x'), said([call]), silent], to(provider));
    const last = prompt.at(-1);
    return last?.role === 'tool' && last.content[0]?.type === 'tool-result'
      ? last.content[0].output
      : undefined;
  };
  expect(await outputOf('amazon-bedrock')).toEqual({ type: 'text', value: '(no output)' });
  expect(await outputOf('anthropic.messages')).toEqual({ type: 'text', value: '' });
});

test('reasoning is sent back to OpenRouter with its details, and only to the same model', async () => {
  const details = { openrouter: { reasoning_details: [{ type: 'reasoning.text', text: 'hm' }] } };
  const thought: HistoryPart = { type: 'reasoning', text: 'hm', provider_metadata: details };
  const by = (model: string) =>
    said([thought, { type: 'text', text: 'so' }], { provider: 'openrouter', model });
  const typesFor = async (model: string) => {
    const [first] = await build([by('anthropic/a')], to('openrouter', { model }));
    return first?.role === 'assistant' ? first.content.map((part) => part.type) : [];
  };
  expect(await typesFor('anthropic/a')).toEqual(['reasoning', 'text']);
  expect(await typesFor('anthropic/b')).toEqual(['text']);
});

test('messages of a second user have their name, and earlier messages do not change', async () => {
  const history = [user('by the owner'), said([so])];
  const before = await build(history);
  const after = await build([...history, { ...user('by another'), meta: { author: 'bob' } }]);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.at(-1)?.content).toEqual([
    { type: 'text', text: expect.stringContaining('from bob') },
    { type: 'text', text: 'by another' },
  ]);
});
