import { expect, test } from 'vitest';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { stageTurn } from './support/live-turn.ts';
import { merged } from './support/merged.ts';
import { setUp } from './support/server.ts';
import { Viewer } from './support/viewer.ts';

const { server, client, fake, clientOf } = await setUp();

/** So many viewers follow one turn, each with a cut of its own. */
const AT_ONCE = 150;

/** Plays a turn before viewers whose first connection is cut at these bytes; answers how many bytes there were. */
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
  'a stream that is cut at any byte says what one says that is not',
  { timeout: 3_600_000 },
  async () => {
    const bytes = await playCutAt([undefined]);
    expect(bytes).toBeGreaterThan(3000);
    for (let from = 0; from < bytes; from += AT_ONCE) {
      const length = Math.min(AT_ONCE, bytes - from);
      await playCutAt(Array.from({ length }, (_, index) => from + index));
    }
  },
);
