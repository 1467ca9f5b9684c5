import { z } from 'zod';
import type { Migration } from '../store/migrate/migration.ts';
import { BackupError } from './backup-error.ts';

/** Grows when older programs could no longer read it. */
export const FORMAT_VERSION = 1;

/** The first entry of a backup: what is in it, and which program can read it. */
export const Manifest = z.object({
  format: z.literal('chatd-backup'),
  format_version: z.int().positive(),
  created_at: z.iso.datetime(),
  chatd_version: z.string(),
  postgres_version: z.string(),
  schema_version: z.int().positive(),
  migrations: z.array(z.object({ version: z.int(), name: z.string(), checksum: z.string() })),
  /** In an order in which each refers to those before it only. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  secret_key: z.boolean(),
  workspaces: z.boolean(),
});
export type Manifest = z.infer<typeof Manifest>;

/** The last entry: a backup without it was cut off. */
export const Closing = z.object({
  rows: z.record(z.string(), z.int().nonnegative()),
  sequences: z.record(z.string(), z.int().positive()),
});
export type Closing = z.infer<typeof Closing>;

export function parseManifest(text: string): Manifest {
  const version = formatVersionOf(text);
  if (version !== undefined && version > FORMAT_VERSION) {
    throw new BackupError(
      `The backup has the format ${version}, and this chatd reads up to ${FORMAT_VERSION}.`,
      'Upgrade this chatd.',
    );
  }
  const parsed = Manifest.safeParse(json(text));
  if (parsed.success) return parsed.data;
  throw new BackupError('The file is not a backup of chatd.', 'Check that it is the right one.');
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

/** Refuses a backup whose schema this program cannot make. */
export function checkMigrations(manifest: Manifest, known: readonly Migration[]): void {
  const ours = new Map(known.map((migration) => [migration.version, migration]));
  for (const { version, name, checksum } of manifest.migrations) {
    const own = ours.get(version);
    if (own === undefined) {
      throw new BackupError(
        `The backup was made by a newer chatd (${manifest.chatd_version}): it has the migration ${name}.`,
        'Upgrade this chatd to at least that version.',
      );
    }
    if (own.checksum !== checksum) {
      throw new BackupError(
        `The backup was made by another line of chatd: its migration ${name} is not ours.`,
        'Restore it with that one.',
      );
    }
  }
}
