import { CANCELLED, unanswered } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { OpenCall } from '../row.ts';
import type { HistoryPoint, Writes } from '../writes.ts';

export interface StoredVersion {
  readonly id: number;
  readonly after: HistoryPoint;
  readonly isCurrent: boolean;
  readonly openCalls: readonly OpenCall[];
  readonly interrupted: boolean;
}

/** Exchanges the messages after a point for those of a stored version. */
export function selectVersion(version: StoredVersion | null, now: Date): Writes {
  if (version === null) throw new Refused('not_found', 'Not found.');
  if (version.isCurrent) return {};
  return {
    chat: {
      status: 'waiting',
      last_error: null,
      interrupted: version.interrupted,
      retry: null,
      open_calls: [],
    },
    branch: { after: version.after, restore: version.id },
    messages: unanswered(version.openCalls, CANCELLED, now),
  };
}
