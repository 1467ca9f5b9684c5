import type { Viewer } from './clients/viewer.ts';
import type { Witness } from './deployment/witness.ts';

/** Times from the commit to the viewer, in milliseconds, of messages committed within a time span. */
export async function staleness(
  witness: Witness,
  viewers: readonly Viewer[],
  from: number,
  to: number,
): Promise<number[]> {
  const rows = await witness.query<{ id: number; chat_id: string; at: number }>(
    `SELECT id::int, chat_id, extract(epoch FROM created_at)::float8 * 1000 AS at FROM messages
      WHERE created_at > to_timestamp($1::float8 / 1000) AND created_at <= to_timestamp($2::float8 / 1000)`,
    [from, to],
  );
  return viewers.flatMap(({ chatId, view }) =>
    rows.flatMap(({ id, chat_id, at }) => {
      const seen = chat_id === chatId ? view.seenAt.get(id) : undefined;
      return seen === undefined ? [] : [Math.max(0, seen - at)];
    }),
  );
}
