import { expect, test } from 'vitest';
import type { ChatRow } from '../../chat/row.ts';
import type { Queryable } from '../../store/statement.ts';
import { decodePng } from '../picture/decode-png.ts';
import { encodePng } from '../picture/png.ts';
import { Recordings } from './recordings.ts';

const png = await encodePng({ width: 10, height: 10, rgb: Buffer.alloc(300) });
const agent = { id: 'chat', agent_type: 'computer' } as unknown as ChatRow;
const { signal } = new AbortController();

const screenshots = {
  content: [{ type: 'tool-result', tool_name: 'computer', file_ids: ['a', 'b', 'c'] }],
  created_at: new Date(0),
};
const database: Queryable = {
  query: <Row>() => Promise.resolve([screenshots] as unknown as Row[]),
};

/** A recording of three screenshots, of which only these were not deleted. */
const recorded = (left: readonly string[]) => {
  const file = { data: png, media_type: 'image/png' };
  const load = (id: string) => Promise.resolve(left.includes(id) ? file : undefined);
  return new Recordings({ database, files: { load } }, () => undefined).of([agent], signal);
};

test('a recording has the screenshots that were not deleted', async () => {
  const [whole] = await recorded(['a', 'b', 'c']);
  const [rest] = await recorded(['b']);
  const widths = [whole, rest].map(async (film) => (await decodePng(film?.data ?? png)).width);
  expect(await Promise.all(widths)).toEqual([3 * 368 + 8, 368 + 8]);
});

test('without screenshots there is no recording', async () => {
  expect(await recorded([])).toEqual([]);
});
