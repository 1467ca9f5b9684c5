import { expect, test } from 'vitest';
import type { Part } from '../part.ts';
import { readableContent } from './readable-content.ts';

const text = (words: string): Part => ({ type: 'text', text: words });
const source = (name: string, cited = false): Part => ({
  type: 'source',
  source_id: name,
  url: `https://${name}.example/`,
  title: name.toUpperCase(),
  ...(cited && { cited }),
});
const search: Part[] = [
  { type: 'tool-call', tool_call_id: 's', tool_name: 'web_search', provider_executed: true },
  {
    type: 'tool-result',
    tool_call_id: 's',
    tool_name: 'web_search',
    provider_executed: true,
    result: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
  },
];

const read = (...content: Part[]) => {
  const { parts, sources } = readableContent(content, (number) => `[${number}]`);
  return { parts, text: parts.flatMap((part) => (part.type === 'text' ? part.text : [])), sources };
};

test('citations are marked in place, and the texts around them are joined', () => {
  const { text: texts, sources } = read(
    text('One'),
    source('b', true),
    source('a', true),
    text(', two'),
    source('b', true),
    text('.'),
  );
  expect(texts).toEqual(['One[1][2], two[1].']);
  expect(sources).toEqual([
    { url: 'https://b.example/', title: 'B', number: 1 },
    { url: 'https://a.example/', title: 'A', number: 2 },
  ]);
});

test('a page that a search lists is listed again only if it is cited', () => {
  const { parts, sources } = read(
    ...search,
    source('a'),
    source('b'),
    text('Yes.'),
    source('b', true),
  );
  expect(parts.map(({ type }) => type)).toEqual(['tool-call', 'tool-result', 'text']);
  expect(sources).toEqual([{ url: 'https://b.example/', title: 'B', number: 1 }]);
});

test('sources without a search and without a position are listed once, after the cited ones', () => {
  const { text: texts, sources } = read(
    source('a'),
    text('Yes.'),
    source('b', true),
    source('a'),
    source('b'),
  );
  expect(texts).toEqual(['Yes.[1]']);
  expect(sources).toEqual([
    { url: 'https://b.example/', title: 'B', number: 1 },
    { url: 'https://a.example/', title: 'A' },
  ]);
});

test('a text that links to the cited page gets no mark', () => {
  const url = 'https://a.example/?utm_source=openai';
  const cited: Part = { type: 'source', source_id: url, url, title: 'A', cited: true };
  const { text: texts, sources } = read(...search, source('a'), text(`Yes ([A](${url})).`), cited);
  expect(texts).toEqual([`Yes ([A](${url})).`]);
  expect(sources).toEqual([{ url, title: 'A' }]);
});

test('marks follow code blocks and are never inside them', () => {
  const { text: texts } = read(
    text('```\ncode'),
    source('a', true),
    text('\n```'),
    source('b', true),
  );
  expect(texts).toEqual(['```\ncode\n```\n[2]']);
});

test('texts before and after a call are not joined', () => {
  expect(read(text('I look.'), ...search, text('Done.')).text).toEqual(['I look.', 'Done.']);
});
