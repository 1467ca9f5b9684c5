import { expect, onTestFinished, test } from 'vitest';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { stageTurn } from './support/live-turn.ts';
import { merged } from './support/merged.ts';
import { type Random, seeded } from './support/seeded.ts';
import { setUp } from './support/server.ts';
import { Viewer } from './support/viewer.ts';

const { server, client, fake, clientOf } = await setUp();

const seed = Number(process.env['CHATD_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** A viewer behind a proxy that cuts every connection at a random byte. */
async function cutViewer(chatId: string, random: Random): Promise<Viewer> {
  const proxy = await startCuttingProxy(server.url, () => Math.floor(random() * 4000));
  onTestFinished(() => proxy.close());
  return new Viewer(clientOf({ url: proxy.url, random: () => 0 }), chatId);
}

test(
  `a stream that is cut at random bytes delivers the same events as an uncut one (seed ${seed})`,
  { timeout: 120_000 },
  async () => {
    const turn = await stageTurn(client, fake);
    const whole = new Viewer(client, turn.chatId);
    const cut = await Promise.all(
      Array.from({ length: 8 }, (_, index) => cutViewer(turn.chatId, seeded(seed + index))),
    );
    await turn.play([whole, ...cut]);
    await Promise.all([whole, ...cut].map((viewer) => viewer.stop()));
    for (const viewer of cut) {
      expect(merged(viewer.events)).toEqual(merged(whole.events));
      expect(viewer.states.filter(({ state }) => state === 'waiting').length).toBeGreaterThan(0);
    }
    expect(fake.rejected).toEqual([]);
  },
);
