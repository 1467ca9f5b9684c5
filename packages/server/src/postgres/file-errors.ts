import { codeOf } from './error-code.ts';
import { PostgresError } from './postgres-error.ts';

const TROUBLE: Record<string, { what: string; hint: string }> = {
  EACCES: {
    what: 'permission was denied',
    hint: 'Start chatd as the user who owns the data directory, or choose another one with CHATD_DATA_DIR.',
  },
  EPERM: {
    what: 'permission was denied',
    hint: 'Start chatd as the user who owns the data directory, or choose another one with CHATD_DATA_DIR.',
  },
  EROFS: {
    what: 'the file system is read-only',
    hint: 'Choose a data directory on another file system with CHATD_DATA_DIR.',
  },
  ENOSPC: {
    what: 'the disk is full',
    hint: 'Free up disk space, and start again. No data was lost.',
  },
  EDQUOT: {
    what: 'the disk quota is exceeded',
    hint: 'Free up disk space, and start again. No data was lost.',
  },
  ENOTDIR: {
    what: 'part of the path is a file',
    hint: 'Choose another data directory with CHATD_DATA_DIR.',
  },
  EEXIST: {
    what: 'a file with that name exists',
    hint: 'Choose another data directory with CHATD_DATA_DIR.',
  },
};

/** Explains file system errors in the data directory. Returns other errors unchanged. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  const trouble = TROUBLE[codeOf(error) ?? ''];
  if (trouble === undefined || !(error instanceof Error) || !('syscall' in error)) return error;
  return new PostgresError({
    kind: 'unusable_directory',
    message: `Setting up PostgreSQL in ${dataDir} failed: ${trouble.what} (${error.message}).`,
    hint: trouble.hint,
    cause: error,
  });
}
