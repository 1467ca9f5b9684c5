import {
  claimDeliveries,
  deleteDelivery,
  hasTargets,
  recordDelivered,
  recordFailed,
  releaseDelivery,
} from '../../../packages/server/src/store/queries/outbox/deliveries.ts';
import type { OutboxRow, Session } from '../postgres.ts';
import { on } from './statement.ts';

const after = ({ startedAt }: Session, ms: number) => new Date(startedAt.getTime() + ms);

const isPending = ({ state }: OutboxRow) => state === 'pending';

const isDue = (session: Session) => (row: OutboxRow) =>
  isPending(row) && row.due_at <= session.startedAt;

const isBefore = (one: OutboxRow, other: OutboxRow) =>
  one.target_id === other.target_id && one.subject_id === other.subject_id && one.id < other.id;

interface Attempt {
  readonly id: number;
  readonly attempts: number;
}

/** The row of an attempt. Undefined: a later attempt has started. */
const lockAttempt = (session: Session, { id, attempts }: Attempt) =>
  session.lockRow(
    session.postgres.outbox,
    String(id),
    (row) => isPending(row) && row.attempts === attempts,
  );

export const OUTBOX_STATEMENTS = [
  on(hasTargets, ({ postgres }) => [{ exists: postgres.webhooks.size > 0 }]),

  on(claimDeliveries, (session, { busy, per_target, limit, lease_ms }) => {
    const { outbox, failingTargets } = session.postgres;
    const pending = session.rows(outbox).filter(isPending);
    const targets = new Set(pending.map(({ target_id }) => target_id));
    const due = [...targets]
      .filter((target) => !busy.includes(target))
      .filter((target) => {
        const blocked = session.row(failingTargets, target)?.blocked_until;
        return blocked === undefined || blocked <= session.startedAt;
      })
      .flatMap((target) =>
        pending
          .filter((row) => row.target_id === target && isDue(session)(row))
          .filter((row) => !pending.some((other) => isBefore(other, row)))
          .sort((one, other) => one.due_at.getTime() - other.due_at.getTime() || one.id - other.id)
          .slice(0, per_target),
      )
      .slice(0, limit);
    return due.flatMap(({ id }) => {
      const row = session.tryLockRow(outbox, String(id));
      if (row === undefined || !isDue(session)(row)) return [];
      const claimed = { ...row, due_at: after(session, lease_ms), attempts: row.attempts + 1 };
      session.write(outbox, String(id), claimed);
      return [claimed];
    });
  }),

  on(recordDelivered, async (session, { status: _status, ...attempt }) => {
    const { outbox, failingTargets } = session.postgres;
    const target = session.row(outbox, String(attempt.id))?.target_id ?? '';
    // Not if it fails for the first time while this waits.
    const isFailing = session.row(failingTargets, target) !== undefined;
    const row = await lockAttempt(session, attempt);
    if (row === undefined) return [];
    session.write(outbox, String(row.id), { ...row, state: 'delivered' });
    if (isFailing && (await session.lockRow(failingTargets, target)) !== undefined) {
      session.write(failingTargets, target, undefined);
    }
    return [];
  }),

  on(recordFailed, async (session, { delay_ms, block_ms, final, ...attempt }) => {
    const { outbox, failingTargets } = session.postgres;
    const { startedAt: now } = session;
    // Those that others add while this waits are not among the later ones.
    const seen = session.rows(outbox);
    const row = await lockAttempt(session, attempt);
    if (row === undefined) return [];
    const { target_id: target, expires_at: expires } = row;
    const isDead = final || now >= expires;
    const state = isDead ? ('dead' as const) : ('pending' as const);
    const latest = expires > now ? expires : now;
    const next = after(session, delay_ms);
    const due_at = next < latest ? next : latest;
    session.write(outbox, String(row.id), { ...row, state, due_at });
    for (const { id } of isDead ? [] : seen.filter((other) => isBefore(row, other))) {
      const later = await session.lockRow(outbox, String(id), isPending);
      if (later !== undefined) session.write(outbox, String(id), { ...later, due_at });
    }
    await session.lockKey(`${failingTargets.name} ${target}`);
    const failing = session.row(failingTargets, target);
    if (failing !== undefined && failing.blocked_until > now) return [{ state }];
    const before = failing?.failures ?? 0;
    const blockMs = before < 4 ? 0 : block_ms * 2 ** Math.min(before - 4, 8);
    session.write(failingTargets, target, {
      failures: Math.min(before + 1, 1000),
      blocked_until: after(session, blockMs),
    });
    return [{ state }];
  }),

  on(releaseDelivery, async (session, attempt) => {
    const row = await lockAttempt(session, attempt);
    if (row === undefined) return [];
    const { startedAt: due_at, postgres } = session;
    session.write(postgres.outbox, String(row.id), { ...row, due_at, attempts: row.attempts - 1 });
    return [];
  }),

  on(deleteDelivery, async (session, { id }) => {
    const { outbox } = session.postgres;
    const row = await session.lockRow(outbox, String(id));
    if (row !== undefined) session.write(outbox, String(id), undefined);
    return [];
  }),
];
