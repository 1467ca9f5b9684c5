import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { startPostgres } from '../deployment/postgres.ts';
import { recordUnsyncedWrites } from '../power/unsynced-writes.ts';
import { countRounds, type Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { seeded } from '../soak/random.ts';

/** The shim intercepts sync calls; it does not see `O_SYNC` and `O_DSYNC`. */
const SETTINGS = { wal_sync_method: 'fdatasync', full_page_writes: 'on' };

export const powerLoss: Row = {
  name: 'power loss',
  guarantee: 'acknowledged writes survive the loss of all unsynced writes',
  buses: ['postgres'],
  chats: 6,
  seconds: { round: 15 },
  async run({ bus, rounds, chats, log }) {
    const directory = await makeTemporaryDirectory();
    const dataParent = join(directory, 'disk');
    await mkdir(dataParent, { mode: 0o711 });
    const disk = await recordUnsyncedWrites(dataParent, directory);
    if ('refused' in disk) {
      await rm(directory, { recursive: true, force: true });
      return { problems: [], skipped: `SKIPPED: no C compiler (${disk.refused})` };
    }
    const { environment } = disk;
    const postgres = await startPostgres({ dataParent, environment, settings: SETTINGS });
    const losses: number[] = [];
    const random = seeded(1);
    try {
      return await withCluster({ bus, postgres }, async (cluster) => {
        const load = await cluster.load({ conversations: chats });
        for (const round of countRounds({ rounds, log })) {
          // All unsynced blocks, then a random half, because disks write in any order.
          for (const choose of [undefined, () => random() < 0.5]) {
            await cluster.progress(load, chats);
            await postgres.kill();
            const lost = await disk.lose(choose);
            await postgres.start();
            losses.push(lost);
            cluster.expect(lost > 0, 'there were no unsynced writes at the power loss');
            log(`round ${round}: ${lost} 4 KiB blocks lost`);
          }
        }
        await cluster.progress(load, chats);
        const blocks = losses.reduce((sum, lost) => sum + lost, 0).toLocaleString('en');
        return {
          ...(await cluster.check(2 * rounds * chats)),
          figures: [`${losses.length} power losses, ${blocks} unsynced blocks reverted`],
        };
      });
    } finally {
      await postgres.stop().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    }
  },
};
