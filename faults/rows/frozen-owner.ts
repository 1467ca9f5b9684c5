import { LEASE_SECONDS } from '../deployment/deployment.ts';
import { ms, spread } from '../figures.ts';
import type { Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

const EACH = 4;
/** So long may a zombie not know that it is one: a heartbeat, and a moment. */
const HEARTBEAT_MS = LEASE_SECONDS * 300 + 1000;

export const frozenOwner: Row = {
  name: 'owner frozen past its lease, then continued',
  mustHold: 'the zombie commits nothing and stops its tools',
  run: ({ bus, postgres, rounds, say }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { witness, model } = deployment;
      const waits: number[] = [];
      const lingering: number[] = [];
      let zombies = 0;
      for (let round = 1; round <= rounds; round += 1) {
        const speaking = await cluster.beginAll(EACH, [{ say: 10, hold: true }]);
        const working = await cluster.beginAll(EACH, [
          { call: { tool: 'tick', ms: 20_000 } },
          { say: 3 },
        ]);
        await Promise.all(speaking.map(({ last }) => model.held(last.id)));
        await cluster.eventually('all tools have begun', async () => {
          const begun = new Set((await deployment.effects()).map(({ key }) => key));
          return working.every(({ last }) => begun.has(`${last.id}/0`));
        });
        const owner = await deployment.ownerOf(working[0]?.chatId ?? '');
        const chats = await witness.chatsOf(owner.workerId);
        const frozenAt = Date.now();
        owner.replica.freeze();
        const taken = await cluster.takenOver(chats, frozenAt);
        waits.push(...taken.map(({ at }) => at - frozenAt));
        // It wakes with answers of the model in its sockets, timers long past, and chats that are no longer its own.
        for (const { last } of speaking) model.release(last.id);
        const lost = working.filter(({ chatId }) => chats.includes(chatId));
        // Not seen by those who watch through the frozen one: they will be when it wakes.
        await cluster.eventually('the new owner has ended the turns', async () => {
          const busy = new Set((await witness.busyChats()).map(({ id }) => id));
          return !lost.some(({ chatId }) => busy.has(chatId));
        });
        zombies += lost.length;
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
          'the tools of the zombie are stopped',
          async () => (await stops()).length === lost.length,
        );
        const lastAt = Math.max(...(await stops()).map(({ at }) => at));
        lingering.push(lastAt - thawedAt);
        cluster.expectWithin(HEARTBEAT_MS, lastAt - thawedAt, 'stopping the tools of the zombie');
        say(
          `round ${round}: ${chats.length} chats taken, tools ran on for ${lastAt - thawedAt} ms`,
        );
        // Those on the other replica need not tick to their end.
        for (const { chatId } of working.filter((one) => !lost.includes(one))) {
          cluster.mayFail.add(chatId);
          await deployment.api.post(`/chats/${chatId}/interrupt`, {}).catch(() => undefined);
        }
      }
      cluster.expectWithin(TAKEOVER_BOUND_MS, Math.max(...waits), 'a takeover');
      const problems = await cluster.verdict(rounds * EACH);
      const commits = problems.filter((one) => one.startsWith('onlyTheOwnerCommits')).length;
      return {
        figure: `zombie commits ${commits} (${zombies} calls), tools ran on for ${ms(Math.max(...lingering))} at most, takeover ${spread(waits)}`,
        problems,
        late: cluster.late,
      };
    }),
};
