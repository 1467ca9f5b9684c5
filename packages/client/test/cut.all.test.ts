import { expect, test } from 'vitest';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { stageTurn } from './support/live-turn.ts';
import { merged } from './support/merged.ts';
import { setUp } from './support/server.ts';
import { Viewer } from './support/viewer.ts';

const { server, client, fake, clientOf } = await setUp();

/** Each viewer has its own cut. */
const VIEWERS_PER_TURN = 150;

/** Plays a turn to viewers whose first connections are cut at these bytes. Returns the bytes sent to the first one. */
async function playCutAt(offsets: readonly (number | undefined)[]): Promise<number> {
  const turn = await stageTurn(client, fake);
  const whole = new Viewer(client, turn.chatId);
  const proxies = await Promise.all(
    offsets.map((offset) =>
      startCuttingProxy(server.url, (connection) => (connection === 0 ? offset : undefined)),
    ),
  );
  const cut = proxies.map(({ url }) => new Viewer(clientOf({ url, random: () => 0 }), turn.chatId));
  await turn.play([whole, ...cut]);
  await Promise.all([whole, ...cut].map((viewer) => viewer.stop()));
  await Promise.all(proxies.map((proxy) => proxy.close()));
  for (const [index, viewer] of cut.entries()) {
    expect(merged(viewer.events), `cut at ${offsets[index]}`).toEqual(merged(whole.events));
  }
  return proxies[0]?.sent[0] ?? 0;
}

test(
  'a stream that is cut at any byte delivers the same events as an uncut one',
  { timeout: 3_600_000 },
  async () => {
    const bytes = await playCutAt([undefined]);
    expect(bytes).toBeGreaterThan(3000);
    for (let from = 0; from < bytes; from += VIEWERS_PER_TURN) {
      const length = Math.min(VIEWERS_PER_TURN, bytes - from);
      await playCutAt(Array.from({ length }, (_, index) => from + index));
    }
  },
);
