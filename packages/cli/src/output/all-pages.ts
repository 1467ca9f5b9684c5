interface Page {
  readonly next_cursor: string | null;
}

/** Everything of a list that comes in pages, up to a limit. */
export async function allPages<P extends Page, Row>(
  read: (cursor: string | undefined) => Promise<P>,
  rowsOf: (page: P) => readonly Row[],
  limit = Infinity,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    rows.push(...rowsOf(page));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && rows.length < limit);
  return rows.slice(0, limit);
}
