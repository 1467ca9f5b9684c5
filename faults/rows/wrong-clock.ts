import { setTimeout as sleep } from 'node:timers/promises';
import { LEASE_SECONDS } from '../deployment/deployment.ts';
import { largest } from '../statistics.ts';
import { countRounds, mergeVerdicts, type Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, type Verdict, withCluster } from '../cluster.ts';

const HOUR_MS = 3_600_000;

export const wrongClock: Row = {
  name: 'clock of one replica off by an hour',
  guarantee: 'leases use the clock of the database',
  chats: 6,
  seconds: { round: 45 },
  async run({ bus, postgres, rounds, chats, log }) {
    const verdicts: Verdict[] = [];
    const waits: number[] = [];
    let premature = 0;
    for (const offset of [HOUR_MS, -HOUR_MS]) {
      await withCluster({ bus, postgres, clockOffsetsMs: [0, offset] }, async (cluster) => {
        const { deployment } = cluster;
        const { witness } = deployment;
        const load = await cluster.load({ conversations: chats });
        const own: number[] = [];
        for (const round of countRounds({ rounds, log })) {
          const startedAt = Date.now();
          await sleep(3 * LEASE_SECONDS * 1000);
          await cluster.progress(load, chats);
          const early = await witness.takeovers(startedAt);
          premature += early.length;
          cluster.expect(early.length === 0, `${early.length} chats were taken from live owners`);
          // The replica with the wrong clock must still take over from a dead owner.
          const [right] = deployment.members;
          if (right === undefined) throw new Error('no replica');
          const { workerId } = right;
          await cluster.eventually(
            'the replica runs a chat',
            async () => (await witness.chatsOf(workerId)).length > 0,
          );
          const killedAt = Date.now();
          await right.replica.kill();
          await cluster.eventually(
            'its chats have other owners',
            async () => (await witness.chatsOf(workerId)).length === 0,
          );
          const taken = await witness.takeovers(killedAt);
          own.push(...taken.map(({ at }) => at - killedAt));
          await cluster.progress(load, chats);
          log(
            `round ${round}, off by ${offset / HOUR_MS} h: ${early.length} premature, ${taken.length} taken over`,
          );
          await deployment.replace(right);
        }
        cluster.expectWithin(TAKEOVER_BOUND_MS, largest(own), 'takeover');
        waits.push(...own);
        verdicts.push(await cluster.check(2 * rounds * chats));
      });
    }
    return {
      ...mergeVerdicts(verdicts),
      times: { takeover: waits },
      figures: [`premature takeovers ${premature}`],
    };
  },
};
