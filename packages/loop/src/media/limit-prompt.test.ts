import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { pdf, png } from '../../test/support/images.ts';
import { limitPromptMedia } from './limit-prompt.ts';
import type { MediaLimits } from './limits.ts';

const LIMITS: MediaLimits = {
  imageBytes: 1000,
  imageSide: 8000,
  documentBytes: 1000,
  images: 8,
  documents: 2,
  totalBytes: 10_000,
};
const file = (data: Buffer, mediaType: string, filename?: string) => ({
  type: 'file' as const,
  data: { type: 'data' as const, data },
  mediaType,
  ...(filename !== undefined && { filename }),
});
const image = (padding = 0, width = 1) => file(png(width, 1, padding), 'image/png', 'i.png');
const attached = (...content: ReturnType<typeof file>[]): LanguageModelV4Message => ({
  role: 'user',
  content,
});
const images = (count: number): LanguageModelV4Prompt =>
  Array.from({ length: count }, () => attached(image()));
/** By message, whether a file is shown. */
const shown = (prompt: LanguageModelV4Prompt): boolean[] =>
  prompt.map((message) => message.role === 'user' && message.content[0]?.type === 'file');
const count = (prompt: LanguageModelV4Prompt) => shown(prompt).filter(Boolean).length;

test('a prompt within the limits is the same object', () => {
  const prompt = images(8);
  expect(limitPromptMedia(prompt, LIMITS)).toBe(prompt);
});

test('the oldest images go, in blocks, and leave a note', () => {
  const limited = limitPromptMedia(images(9), LIMITS);
  expect(shown(limited)).toEqual([...Array(2).fill(false), ...Array(7).fill(true)]);
  expect(limited[0]?.content).toEqual([
    { type: 'text', text: '[file "i.png" is no longer shown: there are newer files]' },
  ]);
  expect([10, 11, 12, 13].map((n) => count(limitPromptMedia(images(n), LIMITS)))).toEqual([
    8, 7, 8, 7,
  ]);
});

test('documents have a limit of their own', () => {
  const pages = attached(file(pdf(), 'application/pdf'));
  expect(shown(limitPromptMedia([pages, pages, ...images(3)], LIMITS))).not.toContain(false);
  const three = [1, 2, 3].map(() => attached(file(pdf(), 'application/pdf')));
  expect(shown(limitPromptMedia(three, LIMITS))).toEqual([false, true, true]);
});

test('the bytes of all files are within the limit, and the newest file always stays', () => {
  const sizes = [2000, 5000, 900, 9000];
  const prompt = sizes.map((size) => attached(image(size)));
  expect(shown(limitPromptMedia(prompt, LIMITS))).toEqual([false, false, false, true]);
  const small = Array.from({ length: 12 }, () => attached(image(1000)));
  const limits = { ...LIMITS, images: 100 };
  for (let length = 1; length <= small.length; length++) {
    const limited = limitPromptMedia(small.slice(0, length), limits);
    expect(count(limited) * png(1, 1, 1000).length).toBeLessThanOrEqual(limits.totalBytes);
    expect(shown(limited).at(-1)).toBe(true);
  }
});

test('the files of results and of responses count, and leave notes, too', () => {
  const output = {
    type: 'content' as const,
    value: [{ type: 'text' as const, text: 'Done.' }, image()],
  };
  const prompt: LanguageModelV4Prompt = [
    { role: 'system', content: 's' },
    { role: 'assistant', content: [image(), { ...image(), type: 'reasoning-file' }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output }] },
    ...images(8),
  ];
  const limited = JSON.stringify(limitPromptMedia(prompt, LIMITS).slice(0, 3));
  expect(limited.match(/no longer shown/g)).toHaveLength(3);
  expect(limited).toContain('Done.');
});

test('with many images, those that are too wide then are notes', () => {
  const limits = { ...LIMITS, manyImages: { over: 3, side: 2000 } };
  const wide = attached(image(0, 2001));
  expect(shown(limitPromptMedia([wide, ...images(2)], limits))).toEqual([true, true, true]);
  expect(shown(limitPromptMedia([wide, ...images(3)], limits))).toEqual([false, true, true, true]);
});
