/* The replica whose memory is measured. For each line on stdin, it writes its usage as a line to stdout. */
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createChatd } from '@chatd/server';
import { required } from '../server/contract.ts';

export interface Usage {
  /** Heap after garbage collection. */
  readonly heapBytes: number;
  readonly cpuSeconds: number;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const chatd = await createChatd({
  settings: {
    database_url: required('DATABASE_URL'),
    listen: '127.0.0.1:0',
    admin_token: required('CHATD_BENCH_TOKEN'),
    data_dir: required('CHATD_BENCH_DATA'),
    bus_url: 'memory:',
    rate_limit: 0,
    local_machine: false,
    log_level: 'error',
  },
  writeLog: (line) => process.stderr.write(line),
});
process.once('SIGTERM', () => void chatd.close().then(() => process.exit(0)));
process.stdout.write(`${JSON.stringify({ url: chatd.url })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  // Twice: finalizers of the first collection release more.
  collect();
  collect();
  const { user, system } = process.cpuUsage();
  const usage: Usage = {
    heapBytes: process.memoryUsage().heapUsed,
    cpuSeconds: (user + system) / 1e6,
  };
  process.stdout.write(`${JSON.stringify(usage)}\n`);
});
