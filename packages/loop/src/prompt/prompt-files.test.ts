import { expect, test } from 'vitest';
import { pdf, png } from '../../test/support/images.ts';
import { MemoryFiles } from '../files.ts';
import type { HistoryMessage } from '../history/message.ts';
import { mediaLimits } from '../media/limits.ts';
import { type Family } from '../providers/family.ts';
import { toolNames } from '../tools/names.ts';
import type { MediaFile } from '../tools/media.ts';
import { PromptFiles } from './prompt-files.ts';

/** Counts the files that are loaded. */
class CountingFiles extends MemoryFiles {
  loads = 0;
  override load(id: string): Promise<MediaFile | undefined> {
    this.loads++;
    return super.load(id);
  }
}

function setup(family: Family = 'anthropic') {
  const files = new CountingFiles();
  const selection = new PromptFiles({
    family,
    provider: family,
    model: 'm',
    names: toolNames([]),
    files,
    stored: false,
    chained: false,
    fidelity: 'full',
  });
  const attached = async (
    data: Buffer,
    media_type = 'image/png',
    name = 'x',
  ): Promise<HistoryMessage> => {
    const file_id = await files.save({ data, media_type, name });
    return { role: 'user', content: [{ type: 'file', file_id, media_type, name }] };
  };
  const made = async (data: Buffer, media_type: string): Promise<HistoryMessage> => {
    const file_ids = [await files.save({ data, media_type })];
    const result = { type: 'tool-result', tool_call_id: 'c', tool_name: 't', result: '' } as const;
    return { role: 'tool', content: [{ ...result, file_ids, is_media: true }] };
  };
  /** Whether the file of each message is shown. */
  const shown = async (messages: readonly HistoryMessage[], kept = 0): Promise<boolean[]> => {
    const { files: selected } = await selection.select(messages, kept);
    return messages.map((_, at) => [...(selected.get(at)?.values() ?? [])].some(isShown));
  };
  return { files, selection, attached, made, shown };
}

const isShown = (file: object): boolean => !('note' in file);
const repeat = async <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  await Promise.all(Array.from({ length: count }, make));
const MB = 1_000_000;
const { totalBytes } = mediaLimits('anthropic');

test('99 references to one file load it once', async () => {
  const { files, selection, attached } = setup();
  const message = await attached(pdf(10 * MB), 'application/pdf');
  const [part] = message.content;
  if (part === undefined) throw new Error('the message names no file');
  const many: HistoryMessage = { role: 'user', content: Array.from({ length: 99 }, () => part) };
  await selection.select([many, { ...many }, message], 0);
  expect(files.loads).toBe(1);
});

test('only the files that fit into one request are loaded', async () => {
  const { files, attached, shown } = setup();
  const messages = await repeat(60, () => attached(pdf(4 * MB), 'application/pdf'));
  const visible = (await shown(messages)).filter(Boolean).length;
  expect(visible).toBeGreaterThanOrEqual(3);
  expect(visible * 4 * MB).toBeLessThanOrEqual(totalBytes);
  expect(files.loads).toBeLessThanOrEqual(Math.floor(totalBytes / (4 * MB)) + 1);
});

test('text files count toward the limit', async () => {
  const { attached, shown } = setup();
  const messages = await repeat(4, () => attached(Buffer.alloc(7 * MB, 'a'), 'text/plain'));
  expect(await shown(messages)).toEqual([false, false, false, true]);
});

test('the newest file stays, however large the ones before it are', async () => {
  const { attached, shown } = setup();
  const sizes = [4, 9, 2, 16].map((size) => size * MB);
  const messages = await Promise.all(sizes.map((size) => attached(pdf(size), 'application/pdf')));
  expect(await shown(messages)).toEqual([false, false, false, true]);
});

test('files omitted for their size stay omitted until the next block is removed', async () => {
  const { selection, attached, shown } = setup();
  const messages = await repeat(6, () => attached(pdf(4 * MB), 'application/pdf'));
  expect(await shown(messages)).toEqual([false, false, false, true, true, true]);
  messages.push(await attached(pdf(3 * MB), 'application/pdf'));
  const { unchanged } = await selection.select(messages, 6);
  expect(unchanged).toBe(6);
  messages.push(await attached(pdf(4 * MB), 'application/pdf'));
  const next = await selection.select(messages, 7);
  expect(next.unchanged).toBe(3);
  expect([...next.files.values()].map((of) => [...of.values()].every(isShown))).toEqual([
    ...Array<boolean>(5).fill(false),
    ...Array<boolean>(3).fill(true),
  ]);
});

test('the oldest images are removed in blocks, without being loaded', async () => {
  const { files, attached, shown } = setup('bedrock');
  const messages = await repeat(24, () => attached(png()));
  expect((await shown(messages)).indexOf(true)).toBe(5);
  expect(files.loads).toBe(19);
});

test('documents have a separate limit, which includes tool results', async () => {
  const { attached, made, shown } = setup('bedrock');
  const images = await repeat(3, () => attached(png()));
  const pages = await repeat(6, () => attached(pdf(), 'application/pdf'));
  expect(await shown([...images, ...pages])).toEqual([
    true,
    true,
    true,
    false,
    ...Array<boolean>(5).fill(true),
  ]);
  const results = await repeat(7, () => made(pdf(), 'application/pdf'));
  expect((await shown(results)).filter(Boolean)).toHaveLength(5);
});

test('images that are too wide among many are replaced by notes', async () => {
  const { attached, shown } = setup();
  const wide = await attached(png(2001, 1));
  const few = await repeat(19, () => attached(png()));
  expect(await shown([wide, ...few])).not.toContain(false);
  const more = [wide, ...few, await attached(png())];
  expect((await shown(more)).indexOf(true)).toBe(1);
});

test('a video in a tool result is not kept in memory', async () => {
  const { made, selection } = setup('google');
  const message = await made(Buffer.alloc(1000), 'video/mp4');
  const { files } = await selection.select([message], 0);
  expect([...(files.get(0)?.values() ?? [])]).toEqual([{ note: expect.stringContaining('video') }]);
});
