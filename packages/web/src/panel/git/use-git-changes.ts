import { useEffect } from 'react';
import { client, link } from '../../api/client.ts';

/** A server that does not wait is not asked all the time. */
const PAUSE_MS = 1000;
const RETRY_MS = 15_000;

/** Reads the repositories again as soon as the host reports a change. Without a webhook, polling finds it. */
export function useGitChanges(chatId: string, refetch: () => Promise<unknown>): void {
  useEffect(() => {
    if (link !== undefined) return;
    const leaving = new AbortController();
    void follow(chatId, refetch, leaving.signal);
    return () => leaving.abort();
  }, [chatId, refetch]);
}

async function follow(
  chatId: string,
  refetch: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { changed } = await client.call('waitForGitChange', {
        params: { chat_id: chatId },
        signal,
      });
      if (changed) await refetch();
      await pause(PAUSE_MS);
    } catch {
      // The connection notice reports an outage.
      await pause(RETRY_MS);
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
