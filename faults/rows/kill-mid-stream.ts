import { largest } from '../statistics.ts';
import { countRounds, type Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

export const killMidStream: Row = {
  name: 'kill -9 of the owner mid-stream',
  guarantee: 'another replica finishes; clients see preview_reset, then one answer',
  chats: 6,
  seconds: { round: 8 },
  run: ({ bus, postgres, rounds, chats: count, log }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { model, witness } = deployment;
      const load = await cluster.load({ conversations: 4 });
      const waits: number[] = [];
      for (const round of countRounds({ rounds, log })) {
        await cluster.progress(load, 4);
        const held = await cluster.beginAll(count, [{ chunks: 10, hold: true }]);
        await Promise.all(held.map(({ last }) => model.held(last.id)));
        await cluster.eventually('viewers have received the first half', () =>
          held.every(({ view }) => view.previewText !== ''),
        );
        const victim = await deployment.ownerOf(held[0]?.chatId ?? '');
        const chats = await witness.chatsOf(victim.workerId);
        const lost = held.filter(({ chatId }) => chats.includes(chatId));
        const resets = new Map(lost.map((one) => [one, one.view.previewResets]));
        const killedAt = Date.now();
        await victim.replica.kill();
        // Other chats may have finished just before the kill.
        const taken = await cluster.takenOver(
          lost.map(({ chatId }) => chatId),
          killedAt,
        );
        const all = await witness.takeovers(killedAt);
        const ofVictim = all.filter(({ from_worker }) => from_worker === victim.workerId);
        waits.push(...ofVictim.map(({ at }) => at - killedAt));
        log(`round ${round}: ${taken.length} of ${ofVictim.length} takeovers were held`);
        for (const { last } of held) model.release(last.id);
        await cluster.eventually('answers of the held chats', () =>
          held.every((one) => one.isAnswered()),
        );
        for (const [one, before] of resets) {
          cluster.expect(
            one.view.previewResets > before,
            `chat ${one.chatId} was taken over, but its viewer received no preview_reset`,
          );
        }
        await deployment.replace(victim);
        await cluster.retire();
      }
      cluster.expectWithin(TAKEOVER_BOUND_MS, largest(waits), 'takeover');
      return { ...(await cluster.check(rounds * count)), times: { takeover: waits } };
    }),
};
