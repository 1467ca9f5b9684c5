import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RowRequest, RowResponse } from './row-process.ts';

const PROGRAM = join(import.meta.dirname, 'row-process.ts');

/** Runs a row in a separate process. `logs` is a folder for the logs of its replicas. */
export async function runRow(
  request: RowRequest,
  log: (line: string) => void,
  logs: string | undefined,
): Promise<RowResponse> {
  if (logs !== undefined) mkdirSync(logs, { recursive: true });
  const child = fork(PROGRAM, [JSON.stringify(request)], {
    // Distributions of times have many values, and JSON has no Infinity.
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...(logs !== undefined && { CHATD_TEST_FAULT_LOGS: logs }) },
  });
  if (child.stdout) createInterface(child.stdout).on('line', log);
  let response: RowResponse | undefined;
  child.on('message', (message) => (response = message as RowResponse));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return (
    response ?? {
      outcome: {
        problems: [{ kind: 'wrong', what: `the process of the row ended with ${code ?? signal}` }],
      },
      postgres: 'unknown',
    }
  );
}
