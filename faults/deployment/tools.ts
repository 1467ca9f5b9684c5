import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type LocalTool, tool } from '../../packages/server/src/index.ts';
import type { Effect } from './effects.ts';
import { GUARDED_TOOL } from './plan.ts';

const Args = z.object({ key: z.string(), ms: z.number().default(0) });
const TICK_MS = 50;

/** Tools that append their effects to a file, which shows how often each call ran. */
export function effectTools(file: string): LocalTool[] {
  // A short line is a single write, so lines of several processes do not mix.
  const record = (effect: Omit<Effect, 'pid' | 'at'>) =>
    appendFile(file, `${JSON.stringify({ ...effect, pid: process.pid, at: Date.now() })}\n`);
  const counting = (name: string, description: string) =>
    tool({
      name,
      description,
      input: Args,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        await record({ key, what: 'begin' });
        await sleep(ms, undefined, { signal });
        await record({ key, what: 'end' });
        return { counted: key };
      },
    });
  return [
    counting('count', 'Appends a line, waits, and appends another line'),
    counting(GUARDED_TOOL, 'The same, for approval rules'),
    tool({
      name: 'flood',
      description: 'Prints 5 MB and returns 5 MB',
      input: z.object({}),
      idempotent: true,
      async run(_, context) {
        const line = `${'x'.repeat(9_999)}\n`;
        for (let count = 0; count < 500; count += 1) {
          context.publish(line);
          await sleep(1, undefined, { signal: context.signal });
        }
        return line.repeat(500);
      },
    }),
    tool({
      name: 'tick',
      description: 'Appends lines until stopped',
      input: Args,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        await record({ key, what: 'begin' });
        for (let left = ms; left > 0 && !signal.aborted; left -= TICK_MS) {
          await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
          if (!signal.aborted) await record({ key, what: 'tick' });
        }
        if (signal.aborted) await record({ key, what: 'stopped' });
        signal.throwIfAborted();
        return { ticked: key };
      },
    }),
    tool({
      name: 'child',
      description: 'Runs a program that is killed with its parent',
      input: Args,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        // A killed chatd cannot stop the children of a tool; the kernel can.
        const child = spawn(
          'setpriv',
          ['--pdeathsig', 'KILL', '--', 'sleep', String(Math.ceil(ms / 1000))],
          { stdio: 'ignore', signal, killSignal: 'SIGKILL' },
        );
        await once(child, 'spawn');
        await record({ key, what: 'begin', child: child.pid ?? 0 });
        const [code] = (await once(child, 'exit')) as [number | null];
        return { code };
      },
    }),
  ];
}
