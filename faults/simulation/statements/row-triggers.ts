import type { JsonObject } from '@chatd/protocol';
import type { ChatRow } from '../../../packages/server/src/chat/row.ts';
import type { TriggerRow } from '../../../packages/server/src/store/queries/triggers/triggers.ts';
import type { RunData, Session, StatusChange } from '../postgres.ts';

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
  if ((row.parent_chat_id !== null && rests) || '.unstored' in row.labels) return;
  announce(session, row.owner_id, row.id, `chat.${row.status}`, () => chatPayload(session, row));
}

/** A subagent has the title and the labels of its root chat. */
function chatPayload(session: Session, row: ChatRow): JsonObject {
  const { id: chat_id, root_chat_id, owner_id, project_id, status, snapshot_version } = row;
  const { title, labels } =
    (root_chat_id === null ? undefined : session.chat(root_chat_id)?.row) ?? row;
  return {
    chat_id,
    ...(root_chat_id !== null && { root_chat_id }),
    owner_id,
    ...(project_id !== null && { project_id }),
    title,
    labels,
    status,
    snapshot_version,
    ...(row.interrupted && { interrupted: true }),
    ...(status === 'error' && {
      error: row.last_error && { kind: row.last_error.kind, message: row.last_error.message },
    }),
    ...(status === 'requires_action' && callsPayload(row)),
  };
}

function callsPayload({ open_calls }: ChatRow): JsonObject {
  const calls = open_calls
    .filter(({ kind, decision }) => kind !== null && decision === undefined)
    .map(({ tool_call_id, tool_name, kind: awaits, detail }) => ({
      tool_call_id,
      tool_name,
      awaits,
      ...(detail !== undefined && { detail }),
    }));
  return calls.length === 0 ? {} : { calls };
}

function announce(
  session: Session,
  ownerId: string,
  subject_id: string,
  event: string,
  payload: () => JsonObject,
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
    payload: payload(),
    state: 'pending',
    created_at: new Date(session.clock),
    due_at: startedAt,
    expires_at: new Date(startedAt.getTime() + DAY_MS),
    attempts: 0,
  });
}

/** `trigger_runs_announce`: a run that failed or was refused. */
export function announceRun(session: Session, run: RunData): void {
  const { id: run_id, status, reason, chat_id } = run;
  if (status !== 'failed' && status !== 'refused') return;
  const trigger = session.row(session.postgres.triggers, run.trigger_id);
  if (trigger === undefined) return;
  const { id, owner_id, name } = trigger;
  announce(session, owner_id, id, 'trigger.failed', () => ({
    owner_id,
    ...(chat_id !== null && { chat_id }),
    trigger: { id, name, run_id, ...(reason !== null && { reason }) },
  }));
}

/** `triggers_announce`: the server has disabled a trigger. */
function announceDisabled(session: Session, old: TriggerRow, row: TriggerRow): void {
  const { id, owner_id, name, disabled_reason: reason } = row;
  if (!old.enabled || row.enabled || reason === null) return;
  announce(session, owner_id, id, 'trigger.disabled', () => ({
    owner_id,
    trigger: { id, name, reason },
  }));
}

/** `chats_end_trigger_runs`: a run ends when its chat comes to rest. */
async function endTriggerRuns(session: Session, { row }: StatusChange): Promise<void> {
  const { id, status, trigger_id, interrupted, last_error } = row;
  if (trigger_id === null || (status !== 'waiting' && status !== 'error')) return;
  const { triggerRuns, triggers } = session.postgres;
  const failure = status === 'error' ? (last_error?.message ?? 'The chat has failed.') : null;
  const reason = failure ?? (interrupted ? 'The turn was interrupted.' : null);
  const ended: RunData[] = [];
  for (const seen of session.rows(triggerRuns)) {
    const isStarted = (run: typeof seen) => run.chat_id === id && run.status === 'started';
    const run = await session.lockRow(triggerRuns, seen.id, isStarted);
    if (run === undefined) continue;
    const result = failure === null ? ('done' as const) : ('failed' as const);
    const now = { ...run, status: result, reason, ended_at: session.startedAt };
    session.write(triggerRuns, run.id, now);
    ended.push(now);
  }
  for (const run of ended) announceRun(session, run);
  if (ended.length === 0) return;
  if (failure !== null) return await countFailures(session, trigger_id, ended.length, failure);
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
  const counted = {
    ...trigger,
    failures,
    ...(isLast && {
      enabled: false,
      next_fire_at: null,
      disabled_reason: trigger.enabled
        ? `Disabled after ${failures} consecutive failures. The last one: ${why}`
        : trigger.disabled_reason,
    }),
  };
  session.write(triggers, triggerId, counted);
  announceDisabled(session, trigger, counted);
}
