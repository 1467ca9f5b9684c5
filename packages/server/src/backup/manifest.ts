import { z } from 'zod';
import type { Migration } from '../store/migrate/migration.ts';
import { BackupError } from './backup-error.ts';

/** Increased when older versions can no longer read the format. */
export const FORMAT_VERSION = 1;

/** The first entry of a backup: its content, and which version can read it. */
export const Manifest = z.object({
  format: z.literal('chatd-backup'),
  format_version: z.int().positive(),
  created_at: z.iso.datetime(),
  chatd_version: z.string(),
  postgres_version: z.string(),
  schema_version: z.int().positive(),
  migrations: z.array(z.object({ version: z.int(), name: z.string(), checksum: z.string() })),
  /** Ordered so that each table refers only to earlier ones. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  secret_key: z.boolean(),
  workspaces: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;

/** The last entry. Its absence means that the backup is truncated. */
export const Closing = z.object({
  rows: z.record(z.string(), z.int().nonnegative()),
  sequences: z.record(z.string(), z.int().positive()),
});
export type Closing = z.infer<typeof Closing>;

export function parseManifest(text: string): Manifest {
  const version = formatVersionOf(text);
  if (version !== undefined && version > FORMAT_VERSION) {
    throw new BackupError(
      `The backup has format version ${version}; this version of chatd reads up to ${FORMAT_VERSION}.`,
      'Upgrade chatd.',
    );
  }
  const parsed = Manifest.safeParse(json(text));
  if (parsed.success) return parsed.data;
  throw new BackupError('The file is not a chatd backup.', 'Check the file name.');
}

function formatVersionOf(text: string): number | undefined {
  const value = json(text);
  if (typeof value !== 'object' || value === null || !('format_version' in value)) return undefined;
  return typeof value.format_version === 'number' ? value.format_version : undefined;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Refuses a backup whose schema this version cannot create. */
export function checkMigrations(manifest: Manifest, known: readonly Migration[]): void {
  const ours = new Map(known.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of manifest.migrations) {
    const own = ours.get(version);
    if (own === undefined) {
      throw new BackupError(
        `The backup was made by a newer version of chatd (${manifest.chatd_version}): it has migration ${name}.`,
        'Upgrade chatd to at least that version.',
      );
    }
    if (own.checksum !== checksum) {
      throw new BackupError(
        `The backup was made by a different build of chatd: its migration ${name} differs.`,
        'Restore it with that build.',
      );
    }
  }
}
