import type { MediaFile } from '@chatd/loop';
import { expect, test } from 'vitest';
import type { FileStore } from '../store/files/file-store.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { chatFiles } from './chat-files.ts';

const { signal } = new AbortController();

/** A file store that returns these results in order. */
const answering = (...answers: (MediaFile | Error | undefined)[]) =>
  ({
    load() {
      const answer = answers.shift();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  }) as unknown as FileStore;

test('a file that is not stored counts as deleted', async () => {
  expect(await chatFiles(answering(undefined), 'owner', signal).load('id')).toBeUndefined();
});

test('loading a file is retried until the database responds', async () => {
  const file = { name: 'x', media_type: 'text/plain', data: Buffer.from('x') };
  const files = chatFiles(answering(new DatabaseUnavailable(), file), 'owner', signal);
  expect(await files.load('id')).toEqual(file);
});

test('a file that cannot be read for another reason does not count as deleted', async () => {
  const files = chatFiles(answering(new Error('permission denied')), 'owner', signal);
  await expect(files.load('id')).rejects.toThrow('permission denied');
});
