import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../test/support/blocked-program.ts');

test('a process whose event loop is blocked is killed, and reports why', async () => {
  const child = spawn(process.execPath, ['--conditions=chatd-source', PROGRAM, '1000']);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child.stdout, 'data');
  const closed = once(child, 'close');
  child.stdin.write('now\n');
  expect(await closed).toEqual([null, 'SIGKILL']);
  expect(said).toContain('the event loop was blocked for 1 s');
});
