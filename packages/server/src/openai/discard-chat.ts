import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from '../chat/refused.ts';
import { purgeUnstoredChat } from '../store/queries/chats/purge.ts';
import type { Store } from '../store/store.ts';

/** An interrupted turn stops after a moment. */
const DELAYS_MS = [0, 20, 100, 500, 2000, 10_000];

/** Stops and purges a chat that is not to be stored. What is left after a crash is deleted by housekeeping. */
export async function discardChat({ client, database }: Store, id: string): Promise<void> {
  for (const delay of DELAYS_MS) {
    await sleep(delay, undefined, { ref: false });
    const refusal = (await refused(() => client.delete(id))) ?? 'none';
    if (refusal === 'none') await database.query(purgeUnstoredChat, { id });
    if (refusal !== 'chat_active') return;
    await refused(() =>
      database.transaction(async (tx) => {
        const { chat } = await client.interrupt(id, tx);
        // The interrupt of a chat that waits for tool results cancels them, and the turn continues.
        if (chat.status === 'running') await client.interrupt(id, tx);
      }),
    );
  }
}

async function refused(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return error.code;
    throw error;
  }
}
