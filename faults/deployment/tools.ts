import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type LocalTool, tool } from '../../packages/server/src/index.ts';
import type { Effect } from './effects.ts';

const Args = z.object({ key: z.string(), ms: z.number().default(0) });
const TICK_MS = 50;

/** Nobody is asked about it unless a rule says so. */
export const GUARDED_TOOL = 'count_if_allowed';

/** Tools whose effects are lines in a file: whoever counts them knows how often each call was really run. */
export function effectTools(file: string): LocalTool[] {
  // One short line is one write: lines of several processes do not mix.
  const leave = (effect: Omit<Effect, 'pid' | 'at'>) =>
    appendFile(file, `${JSON.stringify({ ...effect, pid: process.pid, at: Date.now() })}\n`);
  const counting = (name: string, description: string) =>
    tool({
      name,
      description,
      input: Args,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        await leave({ key, what: 'begin' });
        await sleep(ms, undefined, { signal });
        await leave({ key, what: 'end' });
        return { counted: key };
      },
    });
  return [
    counting('count', 'Leaves a line, waits, and leaves another'),
    counting(GUARDED_TOOL, 'The same, for those who have rules about it'),
    tool({
      name: 'flood',
      description: 'Prints 5 MB while it runs and returns as much',
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
      description: 'Leaves a line again and again until it is stopped',
      input: Args,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        await leave({ key, what: 'begin' });
        for (let left = ms; left > 0 && !signal.aborted; left -= TICK_MS) {
          await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
          if (!signal.aborted) await leave({ key, what: 'tick' });
        }
        if (signal.aborted) await leave({ key, what: 'stopped' });
        signal.throwIfAborted();
        return { ticked: key };
      },
    }),
    tool({
      name: 'child',
      description: 'Runs a program, which dies with us',
      input: Args,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        // chatd cannot do anything for the children of a tool once it was killed; the kernel can.
        const child = spawn(
          'setpriv',
          ['--pdeathsig', 'KILL', '--', 'sleep', String(Math.ceil(ms / 1000))],
          { stdio: 'ignore', signal, killSignal: 'SIGKILL' },
        );
        await once(child, 'spawn');
        await leave({ key, what: 'begin', child: child.pid ?? 0 });
        const [code] = (await once(child, 'exit')) as [number | null];
        return { code };
      },
    }),
  ];
}
