import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Starts this benchmark again in another role. */
export function startChild(args: readonly string[]): ChildProcess {
  return fork(MAIN, args, { execArgv: ['--conditions=chatd-source'] });
}

/** The first message of a child; when it dies before, that is an error. */
export async function messageFrom(child: ChildProcess): Promise<unknown> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a child process ended with ${String(code)} before it reported`);
  });
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  return message;
}
