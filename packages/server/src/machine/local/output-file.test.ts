import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { ProcessExit } from '../drivers/driver.ts';
import { follow } from './follow-output.ts';
import { OutputFile } from './output-file.ts';

const directory = await mkdtemp(join(tmpdir(), 'chatd-output-'));
afterAll(() => rm(directory, { recursive: true, force: true }));
let files = 0;
const newOutput = () => new OutputFile(join(directory, `${++files}`));

const MB = 1024 * 1024;
const EXIT: ProcessExit = { code: 0, signal: null };
/** Bytes that identify their position. */
const bytesAt = (from: number, length: number) =>
  Buffer.from(Array.from({ length }, (_, index) => (from + index) % 251));

test('readers that come and go, fast or slow, get the exact bytes from their offset', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 30 }),
      fc.array(
        fc.record({
          joins: fc.nat(30),
          leaves: fc.nat(40),
          from: fc.double({ min: 0, max: 1, noNaN: true }),
          slow: fc.boolean(),
        }),
        { maxLength: 5 },
      ),
      async (chunks, readers) => {
        const output = newOutput();
        const ended = Promise.withResolvers<ProcessExit>();
        const command = { output, ended, exit: undefined as ProcessExit | undefined };
        const following = readers.map(() => Promise.resolve());
        const lefts = readers.map(() => new AbortController());
        const got = readers.map(() => [] as Buffer[]);
        const froms = readers.map(() => 0);
        for (const [step, size] of [...chunks, 0].entries()) {
          for (const [index, { joins, leaves, from, slow }] of readers.entries()) {
            if (step === Math.min(joins, chunks.length)) {
              froms[index] = Math.floor(from * output.total);
              following[index] = follow(
                command,
                froms[index] ?? 0,
                (bytes, at) => {
                  const sofar = got[index]?.reduce((sum, { length }) => sum + length, 0) ?? 0;
                  expect(at).toBe((froms[index] ?? 0) + sofar);
                  got[index]?.push(Buffer.from(bytes));
                  return slow ? new Promise((resolve) => setImmediate(resolve)) : undefined;
                },
                lefts[index]?.signal ?? new AbortController().signal,
              );
            }
            if (step === leaves) lefts[index]?.abort();
          }
          if (size > 0) output.append(bytesAt(output.total, size));
          if (step % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        command.exit = EXIT;
        ended.resolve(EXIT);
        await Promise.all(following);
        for (const [index, pieces] of got.entries()) {
          const all = Buffer.concat(pieces);
          const from = froms[index] ?? 0;
          expect(all.equals(bytesAt(from, all.length))).toBe(true);
          const left = lefts[index]?.signal.aborted === true;
          if (!left) expect(all.length).toBe(output.total - from);
        }
        await output.delete();
      },
    ),
    { numRuns: 60 },
  );
});

test('the file keeps the beginning and the end of very long output', async () => {
  const output = newOutput();
  const chunk = bytesAt(0, 251 * 4000);
  while (output.total < 40 * MB) output.append(chunk);
  const { total } = output;
  const seen: { at: number; length: number }[] = [];
  let right = true;
  await follow(
    { output, ended: Promise.withResolvers(), exit: EXIT },
    0,
    (bytes, at) => {
      seen.push({ at, length: bytes.length });
      right &&= Buffer.from(bytes).equals(bytesAt(at, bytes.length));
    },
    new AbortController().signal,
  );
  expect(right).toBe(true);
  expect(seen.reduce((sum, { length }) => sum + length, 0)).toBe(16 * MB);
  expect(seen.find(({ at }) => at >= 8 * MB)?.at).toBe(total - 8 * MB);
  const text = await output.text();
  expect(text).toMatch(/\n\[… \d+ bytes omitted …\]\n/);
  expect(text.length).toBeLessThan(100 * 1024);
  await output.delete();
});

test('the output of a command that never pauses can be read', async () => {
  const output = newOutput();
  const chunk = bytesAt(0, 251 * 1000);
  let isRunning = true;
  const write = () => {
    output.append(chunk);
    if (isRunning) setImmediate(write);
  };
  write();
  while (output.total < 20 * MB) await new Promise(setImmediate);
  for (let times = 0; times < 5; times++) {
    expect((await output.text()).length).toBeGreaterThan(90 * 1024);
    const { at, bytes } = await output.read(9 * MB, 64 * 1024);
    expect(bytes.equals(bytesAt(at, bytes.length))).toBe(true);
  }
  isRunning = false;
  await output.delete();
});

test('the text can start at an offset', async () => {
  const output = newOutput();
  output.append(Buffer.from('one two'));
  expect(await output.text(4)).toBe('two');
  expect(await output.text(7)).toBe('');
  output.append(Buffer.from('x'.repeat(40_000)));
  expect(await output.text(40_000)).toBe('x'.repeat(7));
  await output.delete();
});
