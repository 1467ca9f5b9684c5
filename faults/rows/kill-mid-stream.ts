import { spread } from '../figures.ts';
import type { Row } from '../row.ts';
import { TAKEOVER_BOUND_MS, withCluster } from '../cluster.ts';

const HELD = 6;

export const killMidStream: Row = {
  name: 'kill -9 of the owner mid-stream',
  mustHold: 'another replica finishes; clients see preview_reset, then one answer',
  run: ({ bus, postgres, rounds, say }) =>
    withCluster({ bus, postgres }, async (cluster) => {
      const { deployment } = cluster;
      const { model, witness } = deployment;
      const load = await cluster.load({ conversations: 4 });
      const waits: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        await cluster.progress(load, 4);
        const held = await cluster.beginAll(HELD, [{ say: 10, hold: true }]);
        await Promise.all(held.map(({ last }) => model.held(last.id)));
        await cluster.eventually('viewers see the first half', () =>
          held.every(({ view }) => view.previewText !== ''),
        );
        const victim = await deployment.ownerOf(held[0]?.chatId ?? '');
        const chats = await witness.chatsOf(victim.workerId);
        const lost = held.filter(({ chatId }) => chats.includes(chatId));
        const resets = new Map(lost.map((one) => [one, one.view.previewResets]));
        const killedAt = Date.now();
        await victim.replica.kill();
        // Those that were there before may have ended on their own just before the kill.
        const taken = await cluster.takenOver(
          lost.map(({ chatId }) => chatId),
          killedAt,
        );
        const all = await witness.takeovers(killedAt);
        const ofVictim = all.filter(({ from_worker }) => from_worker === victim.workerId);
        waits.push(...ofVictim.map(({ at }) => at - killedAt));
        say(`round ${round}: ${taken.length} held chats and ${ofVictim.length} in all went on`);
        for (const { last } of held) model.release(last.id);
        await cluster.eventually('the answers of chats that went on', () =>
          held.every((one) => one.isAnswered()),
        );
        for (const [one, before] of resets) {
          cluster.expect(
            one.view.previewResets > before,
            `chat ${one.chatId} was taken over, and its viewer saw no preview_reset`,
          );
        }
        await deployment.replace(victim);
      }
      cluster.expectWithin(TAKEOVER_BOUND_MS, Math.max(...waits), 'a takeover');
      const problems = await cluster.verdict(rounds * HELD);
      return { figure: `takeover ${spread(waits)}`, problems, late: cluster.late };
    }),
};
