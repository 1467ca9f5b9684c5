import { expect, test } from 'vitest';
import type { Queryable } from '../store/statement.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { chatFiles } from './chat-files.ts';

const { signal } = new AbortController();

/** Answers with these, one after the other. */
const answering = (...answers: (unknown[] | Error)[]): Queryable => ({
  query<Row>() {
    const answer = answers.shift();
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as Row[]);
  },
});

test('a file that has no row was deleted', async () => {
  expect(await chatFiles(answering([]), 'owner', signal).load('id')).toBeUndefined();
});

test('a file is asked for until the database answers', async () => {
  const row = { name: 'x', media_type: 'text/plain', bytes: Buffer.from('x') };
  const files = chatFiles(answering(new DatabaseUnavailable(), [row]), 'owner', signal);
  expect(await files.load('id')).toEqual({
    data: row.bytes,
    media_type: 'text/plain',
    name: 'x',
  });
});

test('a file that cannot be read for another reason is not a deleted one', async () => {
  const files = chatFiles(answering(new Error('permission denied')), 'owner', signal);
  await expect(files.load('id')).rejects.toThrow('permission denied');
});
