/** A foreign key violation: a row is still referenced, or refers to a missing one. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23503';

/** The row exists. */
export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';

/**
 * No rows instead of a violated unique constraint: another request has written the same value since the statement began.
 * A transaction around it must be rolled back.
 */
export async function noRowsIfTaken<Row>(rows: Promise<Row[]>): Promise<Row[]> {
  try {
    return await rows;
  } catch (error) {
    if (isUniqueViolation(error)) return [];
    throw error;
  }
}
