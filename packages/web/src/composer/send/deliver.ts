import type { BodyOf } from '@chatd/client';
import type { BusyBehavior } from '@chatd/protocol';
import { client } from '../../api/client.ts';
import type { ComposerState, ModelChoice, Outgoing } from '../../state/composer-state.ts';
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
  composing.outbox.update((all) => [...all, outgoing]);
  composing.clear();
  rememberPrompt(draft.text);
  await deliver(composing, chatId, outgoing);
}

/**
 * After a lost answer, the same text repeats the same request, whichever button was pressed. Another key or body could
 * send it twice.
 */
export function requestOf(
  { unsent }: Pick<ComposerState, 'unsent'>,
  body: { readonly content: unknown },
): { readonly key: string; readonly request: string } {
  if (unsent !== undefined) {
    const before = JSON.parse(unsent.request) as { readonly content?: unknown };
    if (JSON.stringify(before.content) === JSON.stringify(body.content)) return unsent;
  }
  return { key: newKey(), request: JSON.stringify(body) };
}

export async function deliver(
  composing: ComposerState,
  chatId: string,
  outgoing: Outgoing,
): Promise<void> {
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
    const problem = whyNotSent(error);
    announce(`Not sent. ${problem.text}`);
    if (!composing.isEmpty() || composing.editing.get() !== null) {
      return change(composing, outgoing, problem);
    }
    takeBack(composing, outgoing);
    if (isRefusal(error)) composing.unsent = undefined;
    composing.notice.set(problem);
  }
}

/** Restores the message for the user to edit or discard. */
export function takeBack(composing: ComposerState, outgoing: Outgoing): void {
  composing.unsent = { key: outgoing.key, request: outgoing.request };
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
