import { LEASE_SECONDS } from '../deployment/deployment.ts';
import { largest } from '../statistics.ts';
import { countRounds, type Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

/** Time until a continued replica learns that it lost its chats: one heartbeat, plus a margin. */
const HEARTBEAT_MS = LEASE_SECONDS * 300 + 1000;

export const frozenOwner: Row = {
  name: 'owner frozen past its lease, then continued',
  guarantee: 'the old owner commits nothing and stops its tools',
  chats: 8,
  seconds: { round: 6 },
  run: ({ bus, postgres, rounds, chats: count, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness, model } = deployment;
      const waits: number[] = [];
      const stopTimes: number[] = [];
      for (const round of countRounds({ rounds, log })) {
        const streaming = await cluster.beginAll(Math.floor(count / 2), [
          { chunks: 10, hold: true },
        ]);
        const working = await cluster.beginAll(Math.ceil(count / 2), [
          { call: { tool: 'tick', ms: 20_000 } },
          { chunks: 3 },
        ]);
        await Promise.all(streaming.map(({ last }) => model.held(last.id)));
        await cluster.eventually('all tools have started', async () => {
          const started = new Set((await deployment.effects()).map(({ key }) => key));
          return working.every(({ last }) => started.has(`${last.id}/0`));
        });
        const owner = await deployment.ownerOf(working[0]?.chatId ?? '');
        const chats = await witness.chatsOf(owner.workerId);
        const frozenAt = Date.now();
        owner.replica.freeze();
        const taken = await cluster.takenOver(chats, frozenAt);
        waits.push(...taken.map(({ at }) => at - frozenAt));
        // The replica continues with model responses in its sockets and expired timers, for chats of other owners.
        for (const { last } of streaming) model.release(last.id);
        const lost = working.filter(({ chatId }) => chats.includes(chatId));
        // Viewers connected to the frozen replica see it later, so query the database.
        await cluster.eventually('the new owner has finished the turns', async () => {
          const busy = new Set((await witness.busyChats()).map(({ id }) => id));
          return !lost.some(({ chatId }) => busy.has(chatId));
        });
        const thawedAt = Date.now();
        owner.replica.thaw();
        const stops = async () =>
          (await deployment.effects()).filter(
            ({ pid, what, key }) =>
              what === 'stopped' &&
              pid === owner.replica.pid &&
              lost.some(({ last }) => key === `${last.id}/0`),
          );
        await cluster.eventually(
          'the old owner has stopped its tools',
          async () => (await stops()).length === lost.length,
        );
        const lastAt = largest((await stops()).map(({ at }) => at));
        stopTimes.push(lastAt - thawedAt);
        cluster.expectWithin(HEARTBEAT_MS, lastAt - thawedAt, 'stopping its tools');
        log(
          `round ${round}: ${chats.length} chats taken over, tools stopped in ${lastAt - thawedAt} ms`,
        );
        // Turns on the other replica need not finish.
        for (const { chatId } of working.filter((one) => !lost.includes(one))) {
          cluster.mayFail.add(chatId);
          await deployment.api.post(`/chats/${chatId}/interrupt`, {}).catch(() => undefined);
        }
        await cluster.retire();
      }
      cluster.expectWithin(TAKEOVER_BOUND_MS, largest(waits), 'takeover');
      const verdict = await cluster.check(rounds * Math.floor(count / 2));
      const commits = verdict.problems.filter(({ rule }) => rule === 'onlyOwnerCommits').length;
      return {
        ...verdict,
        times: { takeover: waits, 'tools stopped': stopTimes },
        figures: [`commits of the old owner ${commits}`],
      };
    }),
};
