import type { StreamedEvent } from '@chatd/client';
import type { Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { plain } from '../output/style.ts';
import { ChatView } from './chat-view.ts';

const page = { width: 80, style: plain };
const event = (fields: object) =>
  ({ chat_id: 'c', cursor: '1', ...fields }) as unknown as StreamedEvent;
const status = (name: string) => event({ type: 'status', status: name });

test('an interrupted turn is marked, even if the status was never seen', () => {
  const view = new ChatView(() => 0);
  const printed = [
    status('waiting'),
    status('running'),
    event({
      type: 'message',
      message: {
        id: 2,
        role: 'assistant',
        content: [{ type: 'text', text: 'Half an answer' }],
        cut_off: 'interrupted',
      },
    }),
    status('waiting'),
  ].flatMap((each) => view.take(each, page));
  expect(printed.join('\n')).toContain('Half an answer');
  expect(printed.at(-1)).toMatch(/^interrupted · .* out$/);
});

/** A search that finds two pages, and an answer that cites the second one twice. */
function searched(): Part[] {
  const call = { tool_call_id: 's', tool_name: 'web_search', provider_executed: true };
  const pages = ['a', 'b'].map((name) => ({ url: `https://${name}.example/`, title: name }));
  const found = pages.map(({ url, title }): Part => ({
    type: 'source',
    source_id: url,
    url,
    title,
  }));
  const cited: Part = { ...found[1], cited: true } as Part;
  return [
    { type: 'tool-call', ...call, args: { query: 'news' } },
    { type: 'tool-result', ...call, result: pages },
    ...found,
    { type: 'text', text: 'It rained.' },
    cited,
    { type: 'text', text: ' It is windy.' },
    cited,
  ];
}

const EXPECTED = [
  '✓ Searched the web for “news” · 2 results',
  '',
  'It rained.[1] It is windy.[1]',
  '',
  '[1] b https://b.example/',
];

const committed = () =>
  event({ type: 'message', message: { id: 2, role: 'assistant', content: searched() } });

test('a web search is one line, and each source is listed once', () => {
  const view = new ChatView(() => 0);
  const printed = [committed(), status('waiting')].flatMap((each) => view.take(each, page));
  expect(printed).toEqual(EXPECTED);
});

test('a streamed web search is printed once, before the text that cites it', () => {
  const view = new ChatView(() => 0);
  const live = searched().map((part) => event({ type: 'message_part', role: 'assistant', part }));
  const printed = [
    status('waiting'),
    status('running'),
    ...live,
    committed(),
    event({ type: 'preview_reset' }),
  ].flatMap((each) => view.take(each, page));
  expect(printed).toEqual(EXPECTED);
});

test('no part of a turn reaches the terminal with a control sequence', () => {
  const hostile = 'x\u001B]52;c;c2VjcmV0\u0007\u001B]0;title\u0007\u001B[2J\u009B2Jy';
  const call = { tool_call_id: 'h', tool_name: hostile };
  const content: Part[] = [
    { type: 'reasoning', text: hostile },
    { type: 'text', text: hostile },
    { type: 'tool-call', ...call, args: { command: hostile } },
    { type: 'tool-result', ...call, result: hostile },
    { type: 'source', source_id: hostile, url: `https://${hostile}.example/`, title: hostile },
  ];
  const view = new ChatView(() => 0);
  const printed = [
    status('waiting'),
    status('running'),
    ...content.map((part) => event({ type: 'message_part', role: 'assistant', part })),
    event({ type: 'message', message: { id: 2, role: 'assistant', content } }),
    status('waiting'),
  ].flatMap((each) => view.take(each, page));
  expect(printed.join('')).toContain('xy');
  expect(printed.join('')).not.toMatch(/\p{Cc}/u);
});
