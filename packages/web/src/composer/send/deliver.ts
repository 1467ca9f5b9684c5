import type { BodyOf } from '@chatd/client';
import type { BusyBehavior } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import {
  chatsWithUnsent,
  type ComposerState,
  composerStateOf,
  EXPIRED,
  isFresh,
  type ModelChoice,
  type Outgoing,
  type Unsent,
} from '../../state/composer-state.ts';
import { connection } from '../../state/connection.ts';
import { announce } from '../announcements.tsx';
import { rememberPrompt } from '../history/recent-prompts.ts';
import { newKey } from '../new-key.ts';
import { contentOf } from './content.ts';
import { isRefusal, whyNotSent } from './refusals.ts';

const SENT: Record<BusyBehavior, string> = {
  queue: 'Queued until the turn ends.',
  steer: 'Queued for the next step.',
  interrupt: 'Stopping the turn for this message.',
};

/** Sends the draft. The composer is cleared immediately. */
export async function send(
  composing: ComposerState,
  chatId: string,
  behavior: BusyBehavior,
  { modelConfigId, effort }: ModelChoice,
): Promise<void> {
  const draft = composing.draft();
  const body: BodyOf<'sendMessage'> = {
    content: contentOf(draft),
    busy_behavior: behavior,
    model_config_id: modelConfigId,
    reasoning_effort: effort,
  };
  const outgoing: Outgoing = {
    ...requestOf(composing, body),
    draft,
    problem: null,
  };
  composing.unsent = undefined;
  composing.notice.set(null);
  const isBehind = composing.outbox.get().some(isWaiting);
  composing.outbox.update((all) => [
    ...all,
    isBehind ? { ...outgoing, problem: BEHIND_OTHERS } : outgoing,
  ]);
  composing.clear();
  rememberPrompt(draft.text);
  await (isBehind ? resend(composing, chatId) : deliver(composing, chatId, outgoing));
}

const isWaiting = ({ problem }: Outgoing) => problem?.offline === true;

const DISCONNECTED = {
  text: 'The server is unreachable. The message is sent when you are connected again.',
  again: true,
  offline: true,
};
const BEHIND_OTHERS = { text: 'Sent after the messages before it.', again: true, offline: true };

/** Attempts to deliver waiting messages to a server that answers. */
const MOST_RESENDS = 3;
const resending = new WeakSet<ComposerState>();

/** Delivers waiting messages in order, once the server answers. Their keys ensure that each arrives once. */
export async function resend(composing: ComposerState, chatId: string): Promise<void> {
  if (resending.has(composing) || !composing.outbox.get().some(isWaiting)) return;
  resending.add(composing);
  const tries = new Map<string, number>();
  try {
    for (;;) {
      await connection.restored();
      // Another user may sign in. The messages are sent when their author has signed in again.
      if (session.state.get().kind !== 'signed-in') return;
      const next = composing.outbox.get().find(isWaiting);
      if (next === undefined) return;
      if (!isFresh(next)) {
        change(composing, next, EXPIRED);
        continue;
      }
      const tried = (tries.get(next.key) ?? 0) + 1;
      tries.set(next.key, tried);
      await deliver(composing, chatId, next, tried < MOST_RESENDS);
    }
  } finally {
    resending.delete(composing);
  }
}

/** Sends messages that were not sent before the page was closed. */
export function resendAll(): void {
  for (const chatId of chatsWithUnsent()) void resend(composerStateOf(chatId), chatId);
}

/**
 * After a lost answer, the same text repeats the same request, whichever button was pressed. Another key or body could
 * send it twice.
 */
export function requestOf(
  { unsent }: Pick<ComposerState, 'unsent'>,
  body: { readonly content: unknown },
): Unsent {
  if (unsent !== undefined) {
    const before = JSON.parse(unsent.request) as { readonly content?: unknown };
    if (JSON.stringify(before.content) === JSON.stringify(body.content)) return unsent;
  }
  return { key: newKey(), request: JSON.stringify(body), at: Date.now() };
}

export async function deliver(
  composing: ComposerState,
  chatId: string,
  outgoing: Outgoing,
  mayWait = true,
): Promise<void> {
  if (mayWait && !connection.isUp()) return wait(composing, chatId, outgoing);
  change(composing, outgoing, null);
  try {
    const body = JSON.parse(outgoing.request) as BodyOf<'sendMessage'>;
    const sent = await client.call('sendMessage', {
      params: { chat_id: chatId },
      body,
      idempotencyKey: outgoing.key,
    });
    forget(composing, outgoing);
    announce(sent.queued ? SENT[sent.queued_message.busy_behavior] : 'Sent');
  } catch (error) {
    const { offline = false, ...problem } = whyNotSent(error);
    if (offline && mayWait) return wait(composing, chatId, outgoing);
    announce(`Not sent. ${problem.text}`);
    if (!composing.isEmpty() || composing.editing.get() !== null) {
      return change(composing, outgoing, problem);
    }
    takeBack(composing, outgoing);
    if (isRefusal(error)) composing.unsent = undefined;
    composing.notice.set(problem);
  }
}

/** Delivers the message when the server answers again. */
function wait(composing: ComposerState, chatId: string, outgoing: Outgoing): void {
  announce(`Not sent. ${DISCONNECTED.text}`);
  change(composing, outgoing, DISCONNECTED);
  void resend(composing, chatId);
}

/** Restores the message for the user to edit or discard. */
export function takeBack(composing: ComposerState, outgoing: Outgoing): void {
  const { key, request, at } = outgoing;
  composing.unsent = { key, request, at };
  composing.put(outgoing.draft);
  forget(composing, outgoing);
  composing.focus();
}

export function forget(composing: ComposerState, { key }: Outgoing): void {
  composing.outbox.update((all) => all.filter((other) => other.key !== key));
  composing.save();
}

function change(composing: ComposerState, { key }: Outgoing, problem: Outgoing['problem']): void {
  composing.outbox.update((all) =>
    all.map((outgoing) => (outgoing.key === key ? { ...outgoing, problem } : outgoing)),
  );
}
