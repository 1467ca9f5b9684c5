/* The server that is measured. A line on its stdin is answered by a line that says what it has used so far. */
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startChatd } from '../server/embedded.ts';

export interface Used {
  /** Of memory that is in use after a collection, and of what the process holds. */
  readonly liveMb: number;
  readonly residentMb: number;
  readonly cpuSeconds: number;
  readonly atSeconds: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const chatd = await startChatd();
process.once('SIGTERM', () => void chatd.close().then(() => process.exit(0)));

const MB = 1024 * 1024;
createInterface({ input: process.stdin }).on('line', () => {
  // Twice: what the first one lets go of outside of the heap is freed by the second.
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const used: Used = {
    liveMb: (heapUsed + external) / MB,
    residentMb: rss / MB,
    cpuSeconds: (user + system) / 1e6,
    atSeconds: performance.now() / 1000,
  };
  process.stdout.write(`${JSON.stringify(used)}\n`);
});
