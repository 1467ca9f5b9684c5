import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = async (name: string) => {
  const file = join(import.meta.dirname, '../examples', name);
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=chatd-source',
    file,
  ]);
  return stdout;
};

test('the agent calls its tools and answers', async () => {
  expect(await run('agent.ts')).toBe(
    'Let me look. \n  weather { celsius: 24 }\n\n  weather { celsius: 9 }\nLisbon is warmer: 24 °C against 9 °C.\nfinished, 4 messages\n',
  );
});

test('an interrupted answer is kept and the next turn continues from it', async () => {
  expect(await run('interrupt.ts')).toBe(
    [
      'Once upon a time there was a very long story …',
      'interrupted',
      'user: Tell me a story.',
      'assistant: Once upon a time there was a very long story',
      'user: Shorter, please.',
      'assistant: In short: they lived happily ever after.',
      'finished',
      '',
    ].join('\n'),
  );
});
