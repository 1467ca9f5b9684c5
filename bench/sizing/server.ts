/* The measured server. For each line on stdin, it writes its resource usage as a line to stdout. */
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startChatd } from '../server/embedded.ts';

export interface Used {
  /** Heap after garbage collection, and RSS. */
  readonly liveMb: number;
  readonly residentMb: number;
  readonly cpuSeconds: number;
  readonly atSeconds: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: object) => void;

const chatd = await startChatd();
// `chatd serve` does this after its start.
collect({ execution: 'sync', type: 'major', flavor: 'last-resort' });
process.once('SIGTERM', () => void chatd.close().then(() => process.exit(0)));

const MB = 1024 * 1024;
createInterface({ input: process.stdin }).on('line', () => {
  // Twice, because the second collection frees external memory released by the first.
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
