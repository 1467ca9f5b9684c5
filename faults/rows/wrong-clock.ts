import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_SECONDS } from '../deployment/deployment.ts';
import { ms, spread } from '../statistics.ts';
import type { Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

const HOUR_MS = 3_600_000;

export const wrongClock: Row = {
  name: 'clock of one replica off by an hour',
  guarantee: 'leases use the clock of the database',
  async run({ bus, postgres, log }) {
    const problems: string[] = [];
    const waits: number[] = [];
    let premature = 0;
    for (const offset of [HOUR_MS, -HOUR_MS]) {
      await withCluster({ bus, postgres, clockOffsetsMs: [0, offset] }, async (cluster) => {
        const { deployment } = cluster;
        const { witness } = deployment;
        const startedAt = Date.now();
        const load = await cluster.load({ conversations: 6 });
        await sleep(3 * LEASE_SECONDS * 1000);
        await cluster.progress(load, 6);
        const early = await witness.takeovers(startedAt);
        premature += early.length;
        cluster.expect(early.length === 0, `${early.length} chats were taken from live owners`);
        // The replica with the wrong clock must still take over from a dead owner.
        const [right] = deployment.members;
        if (right === undefined) throw new Error('no replica');
        await cluster.eventually(
          'the replica runs a chat',
          async () => (await witness.chatsOf(right.workerId)).length > 0,
        );
        const killedAt = Date.now();
        await right.replica.kill();
        await cluster.eventually(
          'its chats have other owners',
          async () => (await witness.chatsOf(right.workerId)).length === 0,
        );
        const taken = await witness.takeovers(killedAt);
        waits.push(...taken.map(({ at }) => at - killedAt));
        await cluster.progress(load, 6);
        log(`off by ${offset / HOUR_MS} h: ${early.length} premature, ${taken.length} taken over`);
        problems.push(...(await cluster.check(12)));
      });
    }
    const slowest = Math.max(...waits);
    const late = slowest > TAKEOVER_BOUND_MS ? [`takeover took ${ms(slowest)}`] : [];
    return {
      figure: `premature takeovers ${premature}, takeover ${spread(waits)}`,
      problems,
      late,
    };
  },
};
