import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Runs } from './runs.ts';

/** Longer than a run waits for its pipes to close. */
const LONG_MS = 60_000;

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

/** Starts a shell that prints its PID first. Resolves when it has done so. */
async function start(script: string, background: boolean) {
  const seen: string[] = [];
  const first = Promise.withResolvers<number>();
  const exited = Promise.withResolvers<void>();
  const server = { isReading: false };
  const runs = new Runs(
    {
      output(_run, _stream, bytes) {
        const text = bytes.toString();
        if (seen.length === 0) first.resolve(Number(text));
        seen.push(seen.length === 0 ? 'first\n' : text);
        return server.isReading;
      },
      exit(_run, code) {
        seen.push(`exit ${code}`);
        exited.resolve();
      },
    },
    { alone: false, env: process.env, dataLimit: '' },
  );
  await runs.start({
    run: 'r',
    argv: ['/bin/sh', '-c', `echo $$; read ignored; ${script}`],
    cwd: '/',
    env: {},
    background,
    stdin: Buffer.alloc(0),
    input: true,
  });
  const pid = await first.promise;
  return { runs, seen, server, exited: exited.promise, pid };
}

/** Resolves when Node.js has seen the exit of a child. */
async function reaped(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return await yieldToEventLoop();
    }
    await yieldToEventLoop();
  }
}

test.each([false, true])(
  'a run ends after its whole output, however long the server stops reading (background: %s)',
  async (background) => {
    const script = 'echo second; echo third >&2; exit 7';
    const { runs, seen, server, exited, pid } = await start(script, background);
    // The server does not keep up with the first line. The command prints the others and ends.
    runs.endInput('r');
    await reaped(pid);
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(seen).not.toContain('exit 7');
    server.isReading = true;
    runs.resume();
    await exited;
    expect(seen.toSorted()).toEqual(['exit 7', 'first\n', 'second\n', 'third\n']);
    expect(seen.at(-1)).toBe('exit 7');
  },
);

test('a background run ends although its children hold its output open', async () => {
  const { runs, seen, server, exited, pid } = await start('sleep 1000 & exit 7', true);
  runs.endInput('r');
  await reaped(pid);
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(seen).toEqual(['first\n']);
  server.isReading = true;
  runs.resume();
  await vi.advanceTimersByTimeAsync(LONG_MS);
  await exited;
  expect(seen).toEqual(['first\n', 'exit 7']);
  runs.signal('r', 'SIGKILL');
});
