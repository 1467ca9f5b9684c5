import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { startPostgres } from '../deployment/postgres.ts';
import { recordUnsyncedWrites } from '../power/unsynced-writes.ts';
import type { Row } from '../row.ts';
import { withCluster } from '../cluster.ts';
import { seeded } from '../soak/random.ts';

/** The shim intercepts sync calls; it does not see `O_SYNC` and `O_DSYNC`. */
const SETTINGS = { wal_sync_method: 'fdatasync', full_page_writes: 'on' };

export const powerLoss: Row = {
  name: 'power loss',
  guarantee: 'acknowledged writes survive the loss of all unsynced writes',
  buses: ['postgres'],
  async run({ bus, rounds, log }) {
    const directory = await makeTemporaryDirectory();
    const dataParent = join(directory, 'disk');
    await mkdir(dataParent, { mode: 0o711 });
    const disk = await recordUnsyncedWrites(dataParent, directory);
    if ('refused' in disk) {
      await rm(directory, { recursive: true, force: true });
      return { figure: '–', problems: [], skipped: `SKIPPED: no C compiler (${disk.refused})` };
    }
    const { environment } = disk;
    const postgres = await startPostgres({ dataParent, environment, settings: SETTINGS });
    const losses: number[] = [];
    const random = seeded(1);
    try {
      return await withCluster({ bus, postgres }, async (cluster) => {
        const load = await cluster.load({ conversations: 6 });
        for (let round = 1; round <= 2 * rounds; round += 1) {
          await cluster.progress(load, 6);
          await postgres.kill();
          // Alternate between all unsynced blocks and a random half, because disks write in any order.
          const lost = await disk.lose(round % 2 === 1 ? undefined : () => random() < 0.5);
          await postgres.start();
          losses.push(lost);
          cluster.expect(lost > 0, 'there were no unsynced writes at the power loss');
          log(`round ${round}: ${lost} 4 KiB blocks lost`);
        }
        await cluster.progress(load, 6);
        const problems = await cluster.check(rounds * 12);
        return { figure: `lost blocks ${losses.join(', ')}; acknowledged writes lost 0`, problems };
      });
    } finally {
      await postgres.stop().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    }
  },
};
