import { expect, test } from 'vitest';
import type { HistoryMessage } from '../history/message.ts';
import { withRecentFiles } from './recent-files.ts';

const result = (tool_name: string, id: number): HistoryMessage =>
  ({
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        tool_call_id: `${id}`,
        tool_name,
        result: `picture ${id}`,
        is_media: true,
        file_ids: [`file-${id}`],
      },
    ],
  }) as unknown as HistoryMessage;

const pictures = (count: number) =>
  Array.from({ length: count }, (_, id) => result('computer', id));
const shown = (messages: readonly HistoryMessage[]) =>
  messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? (part.file_ids ?? []) : [])),
  );
const LIMITS = new Map([['computer', 20]]);

test('all images are shown until they exceed the limit by a block', () => {
  const messages = pictures(29);
  expect(withRecentFiles(messages, LIMITS)).toBe(messages);
});

test('beyond that, the oldest block of images is removed, and its text stays', () => {
  const messages = withRecentFiles(pictures(30), LIMITS);
  expect(shown(messages)).toHaveLength(20);
  expect(shown(messages)[0]).toBe('file-10');
  const [part] = messages[0]?.content ?? [];
  expect(part).toMatchObject({ result: expect.stringMatching(/^picture 0\n\[its files/) });
  expect(part).not.toHaveProperty('is_media');
});

test('shortened messages are the same objects the next time, so that the next prompt can reuse them', () => {
  const messages = pictures(35);
  const first = withRecentFiles(messages, LIMITS);
  const second = withRecentFiles([...messages, result('computer', 35)], LIMITS);
  expect(second.slice(0, 35).every((message, index) => message === first[index])).toBe(true);
});

test('files of other tools are unchanged', () => {
  const messages = Array.from({ length: 50 }, (_, id) => result('read_file', id));
  expect(withRecentFiles(messages, LIMITS)).toBe(messages);
});
