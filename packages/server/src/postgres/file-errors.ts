import { codeOf } from './error-code.ts';
import { PostgresError } from './postgres-error.ts';

const TROUBLE: Record<string, { what: string; hint: string }> = {
  EACCES: {
    what: 'we may not',
    hint: 'Start chatd as the user who owns the data directory, or choose another one with CHATD_DATA_DIR.',
  },
  EPERM: {
    what: 'we may not',
    hint: 'Start chatd as the user who owns the data directory, or choose another one with CHATD_DATA_DIR.',
  },
  EROFS: {
    what: 'the file system is read-only',
    hint: 'Choose a data directory on another one with CHATD_DATA_DIR.',
  },
  ENOSPC: { what: 'the disk is full', hint: 'Make room, and start again. Nothing was lost.' },
  EDQUOT: {
    what: 'the disk quota is used up',
    hint: 'Make room, and start again. Nothing was lost.',
  },
  ENOTDIR: {
    what: 'a part of the path is a file',
    hint: 'Choose another data directory with CHATD_DATA_DIR.',
  },
  EEXIST: {
    what: 'a file is in the way',
    hint: 'Choose another data directory with CHATD_DATA_DIR.',
  },
};

/** Turns what the file system says into words about the data directory; anything else stays as it is. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  const trouble = TROUBLE[codeOf(error) ?? ''];
  if (trouble === undefined || !(error instanceof Error) || !('syscall' in error)) return error;
  return new PostgresError({
    kind: 'unusable_directory',
    message: `PostgreSQL cannot be set up in ${dataDir}, because ${trouble.what} (${error.message}).`,
    hint: trouble.hint,
    cause: error,
  });
}
