import { expect, test } from 'vitest';
import type { ChatRow } from '../../chat/row.ts';
import { readFile } from '../../store/queries/read-file.ts';
import type { Queryable, Statement } from '../../store/statement.ts';
import { decodePng } from '../picture/decode-png.ts';
import { encodePng } from '../picture/png.ts';
import { Recordings } from './recordings.ts';

const png = await encodePng({ width: 10, height: 10, rgb: Buffer.alloc(300) });
const agent = { id: 'chat', agent_type: 'computer' } as unknown as ChatRow;
const { signal } = new AbortController();

/** Three screenshots, of which these are left. */
const database = (left: readonly string[]): Queryable => ({
  query<Row>(statement: Statement<Row>, [id]: readonly unknown[] = []) {
    const file = { name: 'screenshot.png', media_type: 'image/png', bytes: png };
    const screenshots = {
      content: [{ type: 'tool-result', tool_name: 'computer', file_ids: ['a', 'b', 'c'] }],
      created_at: new Date(0),
    };
    const isFile: boolean = statement.name === readFile.name;
    const rows = isFile ? (left.includes(String(id)) ? [file] : []) : [screenshots];
    return Promise.resolve(rows as Row[]);
  },
});
const recorded = (left: readonly string[]) =>
  new Recordings(database(left), () => undefined).of([agent], signal);

test('a recording has the screenshots that were not deleted', async () => {
  const [whole] = await recorded(['a', 'b', 'c']);
  const [rest] = await recorded(['b']);
  const widths = [whole, rest].map(async (film) => (await decodePng(film?.data ?? png)).width);
  expect(await Promise.all(widths)).toEqual([3 * 368 + 8, 368 + 8]);
});

test('without screenshots there is no recording', async () => {
  expect(await recorded([])).toEqual([]);
});
