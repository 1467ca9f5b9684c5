/** A foreign key violation: a row is still referenced, or refers to a missing one. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23503';
