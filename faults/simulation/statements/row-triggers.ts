import type { Session, StatusChange } from '../postgres.ts';

const DAY_MS = 86_400_000;

/** The triggers of the tables, after a statement and in its transaction. */
export async function fireTriggers(session: Session): Promise<void> {
  for (const change of session.takeStatusChanges()) {
    announceChat(session, change);
    await endTriggerRuns(session, change);
  }
}

/** `chats_announce`: the end of a turn, or a turn that waits. */
function announceChat(session: Session, { old, row }: StatusChange): void {
  const hasRun = old.status === 'running' || old.status === 'interrupting';
  const rests = row.status === 'waiting' || row.status === 'error';
  if (!hasRun || (!rests && row.status !== 'requires_action')) return;
  if (row.parent_chat_id !== null && rests) return;
  const { id: chat_id, status, snapshot_version } = row;
  const payload = { chat_id, status, snapshot_version };
  announce(session, row.owner_id, chat_id, `chat.${status}`, payload);
}

function announce(
  session: Session,
  ownerId: string,
  subject_id: string,
  event: string,
  payload: Readonly<Record<string, string | number>>,
): void {
  const { postgres, startedAt } = session;
  const target_id = postgres.webhooks.get(ownerId);
  if (target_id === undefined) return;
  const id = postgres.newId();
  session.write(postgres.outbox, String(id), {
    id,
    kind: 'webhook',
    target_id,
    subject_id,
    event,
    payload,
    state: 'pending',
    created_at: new Date(session.clock),
    due_at: startedAt,
    attempts: 0,
  });
}

/** `chats_end_trigger_runs`: a run ends when its chat comes to rest. */
async function endTriggerRuns(session: Session, { row }: StatusChange): Promise<void> {
  const { id, status, trigger_id, interrupted, last_error } = row;
  if (trigger_id === null || (status !== 'waiting' && status !== 'error')) return;
  const { triggerRuns, triggers } = session.postgres;
  const failure = status === 'error' ? (last_error?.message ?? 'The chat has failed.') : null;
  const reason = failure ?? (interrupted ? 'The turn was interrupted.' : null);
  let ended = 0;
  for (const seen of session.rows(triggerRuns)) {
    const isStarted = (run: typeof seen) => run.chat_id === id && run.status === 'started';
    const run = await session.lockRow(triggerRuns, seen.id, isStarted);
    if (run === undefined) continue;
    ended += 1;
    session.write(triggerRuns, run.id, {
      ...run,
      status: failure === null ? 'done' : 'failed',
      reason,
      ended_at: session.startedAt,
    });
  }
  if (ended === 0) return;
  if (failure !== null) return await countFailures(session, trigger_id, ended, failure);
  const trigger = await session.lockRow(triggers, trigger_id, ({ failures }) => failures > 0);
  if (trigger !== undefined) session.write(triggers, trigger_id, { ...trigger, failures: 0 });
}

/** `count_trigger_failures`: the last one that is allowed disables the trigger. */
export async function countFailures(
  session: Session,
  triggerId: string,
  ended: number,
  why: string,
): Promise<void> {
  const { triggers } = session.postgres;
  const trigger = await session.lockRow(triggers, triggerId);
  if (trigger === undefined) return;
  const failures = trigger.failures + ended;
  const isLast = trigger.max_failures !== null && failures >= trigger.max_failures;
  session.write(triggers, triggerId, {
    ...trigger,
    failures,
    ...(isLast && {
      enabled: false,
      next_fire_at: null,
      disabled_reason: trigger.enabled
        ? `Disabled after ${failures} consecutive failures. The last one: ${why}`
        : trigger.disabled_reason,
    }),
  });
}

/** Of an event in the outbox. */
export const EXPIRES_MS = DAY_MS;
