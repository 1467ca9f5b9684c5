import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** Starts this benchmark as a child process with another role. */
export function startChild(args: readonly string[]): ChildProcess {
  return fork(MAIN, args, { execArgv: ['--conditions=chatd-source'] });
}

/** The next message of a child. Rejects if the child exits first. */
export async function messageFrom(child: ChildProcess): Promise<unknown> {
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a child process exited with ${String(code)} before it reported`);
  });
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  return message;
}
