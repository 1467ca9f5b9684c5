import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { PostgresAccount } from '../../src/postgres/account.ts';

export interface Fact {
  readonly progress?: string;
  readonly url?: string;
  readonly adopted?: boolean;
  readonly stopped?: boolean;
  readonly error?: string;
  readonly kind?: string;
  readonly hint?: string;
}

/** A real process that supervises PostgreSQL, which a test can kill. */
export interface Supervisor {
  readonly child: ChildProcess;
  /** Resolves with the first fact that matches. Rejects if the process ends without one. */
  says(fits: (fact: Fact) => boolean): Promise<Fact>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export function startSupervisor(
  dataDir: string,
  as?: { account: PostgresAccount; env: NodeJS.ProcessEnv },
): Supervisor {
  const child = spawn(
    process.execPath,
    ['--conditions=chatd-source', join(import.meta.dirname, 'supervising-process.ts'), dataDir],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: '/',
      ...(as === undefined ? {} : { uid: as.account.uid, gid: as.account.gid, env: as.env }),
    },
  );
  const said: Fact[] = [];
  const listeners = new Set<() => void>();
  const ended = once(child, 'exit').then(() => undefined);
  createInterface(child.stdout).on('line', (line) => {
    said.push(JSON.parse(line));
    for (const listener of listeners) listener();
  });
  const says = (fits: (fact: Fact) => boolean): Promise<Fact> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const fact = said.find(fits);
        if (fact === undefined) return;
        listeners.delete(look);
        resolve(fact);
      };
      listeners.add(look);
      look();
      child.stdout.once('close', () => {
        reject(new Error(`it ended and had only said ${JSON.stringify(said)}`));
      });
    });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    child,
    says,
    kill,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** The start has succeeded or failed. */
export function started(fact: Fact): boolean {
  return fact.url !== undefined || fact.error !== undefined;
}
