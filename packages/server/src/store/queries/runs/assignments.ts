import type { ChatPatch } from '../../../chat/writes.ts';

/** SQL expressions by column. */
export type Assignments = Readonly<Record<string, string>>;

/** The constants that a transition writes, for a statement that does the same. */
export const constants = (patch: ChatPatch): Assignments =>
  Object.fromEntries(
    Object.entries(patch).map(([column, value]) => [
      column,
      value === null || typeof value === 'boolean' ? String(value) : `'${text(value)}'`,
    ]),
  );

const text = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** What every statement that changes a chat and clears its retry writes besides. */
export const NEXT_VERSION: Assignments = {
  snapshot_version: 'snapshot_version + 1',
  retry_version: 'CASE WHEN retry IS NULL THEN retry_version ELSE snapshot_version + 1 END',
  updated_at: 'now()',
};

export const assign = (assignments: Assignments): string =>
  Object.entries(assignments)
    .map(([column, expression]) => `${column} = ${expression}`)
    .join(',\n            ');
