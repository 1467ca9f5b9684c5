import { setTimeout as sleep } from 'node:timers/promises';
import { RequestRefused } from '../../clients/api.ts';
import type { Conversation } from '../../clients/conversation.ts';
import { openSseStream } from '../../clients/sse-stream.ts';
import { type Action, answered, started, waitFor, LONG_TEXT, TEXT } from '../action.ts';

/** After this time, an attempt without a response has taken effect or never will. */
const RETRY_SETTLES_MS = 15_000;
const TIMEOUT_MS = 30_000;

/** A busy chat cannot be archived or deleted. After an interrupt, it can, and its streams end. */
export const deleteDuringTurn: Action = async (chat, { counts, watchers }) => {
  const { api, chatId } = chat;
  const path = `/chats/${chatId}`;
  const message = await chat.send(LONG_TEXT);
  await started(chat);
  const archiving = await attempt(() => api.patch(path, { archived: true }));
  if (archiving.isBusy) counts.add('archive requests rejected during a turn');
  if (!archiving.isBusy || archiving.retried) await api.patch(path, { archived: false });
  for (const viewer of [chat.viewer, ...watchers]) viewer.mayBeDeleted = true;
  const deleting = await attempt(() => api.remove(path));
  if (deleting.isBusy && deleting.retried) {
    // It is unknown whether the chat was deleted.
    await api.post(`${path}/restore`, undefined).catch(unlessRefused);
    await chat.send(TEXT);
    return await answered(chat, counts);
  }
  if (deleting.isBusy) {
    counts.add('delete requests rejected during a turn');
    if (await chat.interrupt()) message.outcome = 'interrupted';
    await waitFor(chat, 'the idle state', ({ status }) => status === 'waiting');
    const { ended } = await openStream(chat);
    const { isBusy } = await attempt(() => api.remove(path));
    if (isBusy) throw new Error(`chat ${chatId} is idle but cannot be deleted`);
    await expectEnd(ended, `the stream of ${chatId} continues after the deletion`);
  }
  await expectNotFound(chat);
  await api.post(`${path}/restore`, undefined);
  await chat.send(TEXT);
  await answered(chat, counts);
  counts.add('chats deleted and restored between turns');
};

/** Resolves after the first event. */
async function openStream({ api, chatId }: Conversation) {
  const { promise: shown, resolve } = Promise.withResolvers<void>();
  const url = api.nextUrl();
  if (url === undefined) return { ended: Promise.resolve() };
  const options = { url, chatId, headers: api.headers, cursor: undefined };
  const connection = openSseStream({ ...options, onEvent: () => resolve() });
  await Promise.race([shown, connection.ended]);
  return connection;
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof RequestRefused)) throw error;
}

/** Waits after a retry, so that no earlier attempt is pending. */
async function attempt(
  change: () => Promise<{ readonly retried: boolean }>,
): Promise<{ readonly isBusy: boolean; readonly retried: boolean }> {
  const { isBusy, retried } = await change().then(
    (done) => ({ isBusy: false, retried: done.retried }),
    (error: unknown) => {
      if (!(error instanceof RequestRefused)) throw error;
      const isGone = error.retried && error.status === 404;
      const isActive = error.message.includes('chat_active');
      if (!isGone && !isActive) throw error;
      return { isBusy: isActive, retried: error.retried };
    },
  );
  if (retried) await sleep(RETRY_SETTLES_MS);
  return { isBusy, retried };
}

/** All requests must return 404. */
async function expectNotFound({ api, chatId }: Conversation): Promise<void> {
  const path = `/chats/${chatId}`;
  const requests = {
    'the chat': () => api.get(path),
    messages: () => api.get(`${path}/messages`),
    'a message': () => api.post(`${path}/messages`, { content: 'Are you there?' }),
  };
  for (const [what, request] of Object.entries(requests)) {
    const answer = await request().then(
      () => 'a response',
      (error: unknown) =>
        error instanceof RequestRefused && error.status === 404 ? undefined : String(error),
    );
    if (answer !== undefined)
      throw new Error(`chat ${chatId} was deleted; request for ${what}: ${answer}`);
  }
}

async function expectEnd(ended: Promise<unknown>, otherwise: string): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(TIMEOUT_MS, 'late', { signal: timeout.signal }).catch(() => 'late');
  const first = await Promise.race([ended, late]);
  timeout.abort();
  if (first === 'late') throw new Error(otherwise);
}
