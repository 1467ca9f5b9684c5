import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory } from '../../packages/server/test/support/temporary-directory.ts';
import { startPostgres } from '../deployment/postgres.ts';
import { mountSmallDisk } from '../deployment/small-disk.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';

const DATABASE_MEGABYTES = 250;
const FULL_MS = 6000;
/** Little of the log is kept, so that filling the disk is felt at once. */
const SETTINGS = { max_wal_size: '32MB', min_wal_size: '32MB', wal_recycle: 'off' };

export const diskFull: Row = {
  name: 'disk full',
  mustHold: '503 or a tool error, then recovery by itself',
  async run({ bus, rounds, say }) {
    const directory = await makeTemporaryDirectory();
    const disk = await mountSmallDisk(join(directory, 'database'), DATABASE_MEGABYTES);
    if ('refused' in disk) return skipped(disk.refused);
    const bench = await mountSmallDisk(join(directory, 'tools'), 1);
    if ('refused' in bench) {
      await disk.unmount();
      return skipped(bench.refused);
    }
    const postgres = await startPostgres({ dataParent: disk.path, settings: SETTINGS });
    try {
      return await withCluster({ bus, postgres, effectsIn: bench.path }, async (cluster) => {
        // A tool whose disk is full says so to the model, and the turn goes on.
        await bench.fill();
        const talk = await cluster.begin([{ call: { tool: 'count' } }, { say: 2 }]);
        cluster.expect(
          await talk.answered(AbortSignal.timeout(20_000)),
          'a tool error ended the turn',
        );
        const results = talk.view.messages.flatMap(({ content }) =>
          content.filter((part) => part.type === 'tool-result'),
        );
        cluster.expect(
          results[0]?.is_error === true,
          'the tool did not notice that the disk is full',
        );
        await bench.free();

        const { api } = cluster.deployment;
        const load = await cluster.load({ conversations: 4 });
        const recoveries: number[] = [];
        for (let round = 1; round <= rounds; round += 1) {
          await cluster.progress(load, 4);
          const from = api.tries.length;
          await disk.fill();
          // Those who talk may all be waiting for an answer: somebody comes now.
          const comes = cluster.begin([{ say: 2 }]);
          await sleep(FULL_MS);
          const died = !postgres.isRunning();
          const freedAt = Date.now();
          await disk.free();
          // What a supervisor does with a PostgreSQL that ended for want of room.
          if (died) await postgres.start();
          await comes;
          await cluster.progress(load, 4);
          const refused = api.tries.slice(from).filter(({ status }) => status === 0);
          const busy = api.tries.slice(from).filter(({ status }) => status === 503);
          recoveries.push((Date.now() - freedAt) / 1000);
          cluster.expect(busy.length > 0 || died, 'nobody noticed that the disk was full');
          say(
            `round ${round}: ${busy.length} answers 503, ${refused.length} broken connections${died ? ', PostgreSQL ended' : ''}`,
          );
        }
        const problems = await cluster.verdict(rounds * 8);
        const slowest = Math.max(...recoveries).toFixed(1);
        return {
          figure: `recovery ${slowest} s at most, until 4 more turns were answered`,
          problems,
        };
      });
    } finally {
      await postgres.stop().catch(() => undefined);
      await disk.unmount();
      await bench.unmount();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

const skipped = (reason: string) => ({
  figure: '–',
  problems: [],
  skipped: `SKIPPED: no file system of a given size can be mounted here (${reason}); run it as root`,
});
