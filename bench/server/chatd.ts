/* The chatd server of the comparison: one process, or several behind one port. */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { startChatd } from './embedded.ts';

const processes = Number(process.env['CHATD_BENCH_PROCESSES'] ?? '1');

if (processes > 1 && cluster.isPrimary) {
  const workers = Array.from({ length: processes }, () => cluster.fork());
  process.once('SIGTERM', () => {
    const exits = workers.map((worker) => once(worker, 'exit'));
    for (const worker of workers) worker.process.kill('SIGTERM');
    void Promise.all(exits).then(() => process.exit(0));
  });
} else {
  const chatd = await startChatd();
  process.once('SIGTERM', () => void chatd.close().then(() => process.exit(0)));
}
