import type { ChatRow } from '../../../packages/server/src/chat/row.ts';
import type { ChatData, Session } from '../postgres.ts';

const PIN_MS = 5_000;

export const isBusy = ({ status }: Pick<ChatRow, 'status'>): boolean =>
  status === 'running' || status === 'interrupting';

export function hasLivingOwner({ row }: ChatData, session: Session, leaseMs: number): boolean {
  const { postgres, clock } = session;
  const beatAt = row.worker_id === null ? undefined : postgres.workers.get(row.worker_id);
  if (row.runner_id === null || beatAt === undefined) return false;
  return Math.max(beatAt, postgres.startedAt) >= clock - leaseMs;
}

export function isFreeFor(
  chat: ChatData,
  session: Session,
  workerId: string,
  leaseMs: number,
): boolean {
  const { row } = chat;
  if (!isBusy(row) || hasLivingOwner(chat, session, leaseMs)) return false;
  const { pinned_worker_id: holder } = row;
  if (holder === null || holder === workerId || row.status === 'interrupting') return true;
  if (row.active_at.getTime() < session.clock - PIN_MS) return true;
  const beatAt = session.postgres.workers.get(holder);
  return beatAt === undefined || beatAt < session.clock - leaseMs;
}

/** Taking over a chat with a runner counts a death of its owner, until the history changes. */
export const countDeath = ({ row }: ChatData): Partial<ChatRow> =>
  row.runner_id === null
    ? {}
    : {
        owner_deaths: row.deaths_version === row.history_version ? row.owner_deaths + 1 : 1,
        deaths_version: row.history_version,
      };

/** The oldest chat of each user, then the second oldest of each, and so on. */
export function inFairOrder(chats: readonly ChatData[]): ChatData[] {
  const turns = Map.groupBy(chats, ({ row }) => row.owner_id);
  return [...turns.values()]
    .flatMap((own) => own.sort(byActivity).map((chat, turn) => ({ chat, turn })))
    .sort((one, other) => one.turn - other.turn || byActivity(one.chat, other.chat))
    .map(({ chat }) => chat);
}

const byActivity = (one: ChatData, other: ChatData): number =>
  one.row.active_at.getTime() - other.row.active_at.getTime();
