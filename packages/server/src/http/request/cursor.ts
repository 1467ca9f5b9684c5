import { z } from 'zod';
import { refusedField } from '../../chat/refused.ts';

/** Opaque to clients: base64url of JSON. Validated like any other input. */
export const encodeCursor = (position: object): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

export function decodeCursor<T>(schema: z.ZodType<T>, cursor: string | undefined): T | null {
  if (cursor === undefined) return null;
  const parsed = schema.safeParse(parse(cursor));
  if (!parsed.success) throw invalid();
  return parsed.data;
}

function parse(cursor: string): unknown {
  if (!/^[\w-]+$/.test(cursor)) throw invalid();
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw invalid();
  }
}

const invalid = () =>
  refusedField('cursor', 'is not the next_cursor of an earlier response', 'invalid_cursor');

/** For lists ordered by id. */
export const IdCursor = z.strictObject({ id: z.uuid() });

/** For lists ordered by a serial id. */
export const SerialCursor = z.strictObject({ id: z.int().positive() });

export const ChatCursor = z.strictObject({
  pin_order: z.int().min(0).max(2_147_483_647),
  activity: z.int(),
  id: z.uuid(),
});

/** For runs of triggers, newest first. */
export const RunCursor = z.strictObject({ position: z.int(), id: z.uuid() });

/** For search results. */
export const SearchCursor = z.strictObject({
  in_title: z.boolean(),
  activity: z.int(),
  id: z.uuid(),
});

const MessageId = z.int().min(0).nullable();

/** The rest of a list of messages. Read forward with `after_id`, else backward. */
export const MessageRange = z.strictObject({ after_id: MessageId, before_id: MessageId });
type MessageRange = z.infer<typeof MessageRange>;

/** The range behind a page. Null: nothing is left. */
export function rangeBehind(
  { after_id, before_id }: MessageRange,
  page: readonly { readonly id: number }[],
): MessageRange | null {
  const [first, last] = [page[0], page.at(-1)];
  if (first === undefined || last === undefined) return null;
  return after_id === null ? { after_id, before_id: first.id } : { after_id: last.id, before_id };
}

/** Takes rows read with `limit + 1`. Returns one page and the cursor of the next. */
export function page<Row>(
  rows: readonly Row[],
  limit: number,
  positionOf: (row: Row) => object,
): { rows: Row[]; next_cursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { rows: shown, next_cursor: more ? encodeCursor(positionOf(last)) : null };
}
