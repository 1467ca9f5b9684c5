import { setTimeout as sleep } from 'node:timers/promises';
import { RequestRefused } from '../../clients/api.ts';
import type { Conversation } from '../../clients/conversation.ts';
import { openLine } from '../../clients/event-line.ts';
import { type Act, answered, begun, comes, LONG_TALK, TALK } from '../act.ts';

/** A try that went unanswered has been done, or never will be. */
const DUST_SETTLES_MS = 15_000;
const PATIENCE_MS = 30_000;

/** A chat that is busy is neither archived nor deleted; once it was stopped it is, and everybody is told. */
export const deletesInMidTurn: Act = async (talk, { counts, watchers }) => {
  const { api, chatId } = talk;
  const path = `/chats/${chatId}`;
  const cut = await talk.say(LONG_TALK);
  await begun(talk);
  const archiving = await attempt(() => api.patch(path, { archived: true }));
  if (archiving.isBusy) counts.add('chats not archived in mid-turn');
  if (!archiving.isBusy || archiving.repeated) await api.patch(path, { archived: false });
  for (const viewer of [talk.viewer, ...watchers]) viewer.mayBeDeleted = true;
  const deleting = await attempt(() => api.remove(path));
  if (deleting.isBusy && deleting.repeated) {
    // Nobody knows whether it is there.
    await api.post(`${path}/restore`, undefined).catch(unlessRefused);
    await talk.say(TALK);
    return await answered(talk, counts);
  }
  if (deleting.isBusy) {
    counts.add('chats not deleted in mid-turn');
    if (await talk.interrupt()) cut.fate = 'cut';
    await comes(talk, 'to rest', ({ status }) => status === 'waiting');
    const { ended } = await streaming(talk);
    const { isBusy } = await attempt(() => api.remove(path));
    if (isBusy) throw new Error(`chat ${chatId} rests and cannot be deleted`);
    await ends(ended, `the stream of ${chatId} goes on after it was deleted`);
  }
  await demandGone(talk);
  await api.post(`${path}/restore`, undefined);
  await talk.say(TALK);
  await answered(talk, counts);
  counts.add('chats deleted and restored in use');
};

/** A stream that has shown something, and when it is over. */
async function streaming({
  api,
  chatId,
}: Conversation): Promise<{ readonly ended: Promise<unknown> }> {
  const { promise: shown, resolve } = Promise.withResolvers<void>();
  const url = api.nextUrl();
  if (url === undefined) return { ended: Promise.resolve() };
  const { headers } = api;
  const line = openLine({ url, chatId, headers, cursor: undefined, onEvent: () => resolve() });
  await Promise.race([shown, line.ended]);
  return line;
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof RequestRefused)) throw error;
}

/** What is repeated is done, or refused, before anything else is. */
async function attempt(
  change: () => Promise<{ readonly repeated: boolean }>,
): Promise<{ readonly isBusy: boolean; readonly repeated: boolean }> {
  const { isBusy, repeated } = await change().then(
    (done) => ({ isBusy: false, repeated: done.repeated }),
    (error: unknown) => {
      if (!(error instanceof RequestRefused)) throw error;
      const isGone = error.repeated && error.status === 404;
      const isActive = error.message.includes('chat_active');
      if (!isGone && !isActive) throw error;
      return { isBusy: isActive, repeated: error.repeated };
    },
  );
  if (repeated) await sleep(DUST_SETTLES_MS);
  return { isBusy, repeated };
}

/** Nobody can see it, nor say anything in it. */
async function demandGone({ api, chatId }: Conversation): Promise<void> {
  const path = `/chats/${chatId}`;
  const asks = {
    'the chat': () => api.get(path),
    messages: () => api.get(`${path}/messages`),
    'a message': () => api.post(`${path}/messages`, { content: 'Are you there?' }),
  };
  for (const [what, ask] of Object.entries(asks)) {
    const answer = await ask().then(
      () => 'an answer',
      (error: unknown) =>
        error instanceof RequestRefused && error.status === 404 ? undefined : String(error),
    );
    if (answer !== undefined) throw new Error(`chat ${chatId} was deleted; ${what}: ${answer}`);
  }
}

async function ends(ended: Promise<unknown>, otherwise: string): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(PATIENCE_MS, 'late', { signal: timeout.signal }).catch(() => 'late');
  const first = await Promise.race([ended, late]);
  timeout.abort();
  if (first === 'late') throw new Error(otherwise);
}
