import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readArchive } from '../../src/backup/archive-reader.ts';
import { unpackOne } from '../../src/backup/workspace-files.ts';
import { execute } from '@chatd/test-server/database';
import { NOTES_URL } from './notes-server.ts';
import type { Observed } from './observe.ts';

/** The known contents of a dump. */
export interface Expectations {
  /** The commit that created it, and its newest migration. */
  readonly revision: string;
  readonly schema: number;
  /** By role. The admin token is passed at startup, as an operator does. */
  readonly tokens: { readonly admin: string; readonly member: string };
  readonly password: { readonly username: string; readonly password: string };
  /** Encrypts the stored keys. */
  readonly secretKey: string;
  /** Chats by the case that they cover. A case that the version did not support is absent. */
  readonly chats: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  /** A user who has reached the spend limit, and one of their chats. */
  readonly spender?: { readonly token: string; readonly chat: string };
  readonly range: string;
  /** The responses of the version's own API, just before it was killed. */
  readonly said: { readonly admin: Observed; readonly member: Observed };
  /** By chat, the cursor of a client that has seen every event. Empty if the version had no streams. */
  readonly cursors: Readonly<Record<string, string>>;
}

/** Placeholder for the model URL in a dump and its expectations. */
export const MODEL_URL = 'http://model.invalid';

const FOLDER = join(import.meta.dirname, 'fixtures');
const EXPECTATIONS = '.json.gz';

/** A database that an earlier version left behind. */
export interface Fixture {
  readonly name: string;
  readonly expectations: Expectations;
  /** The statements that create it. */
  readonly sql: () => string;
  /** Whether it includes the workspaces of the data directory. */
  readonly hasWorkspaces: boolean;
  /** Unpacks them into a data directory. */
  unpackWorkspaces(dataDir: string): Promise<void>;
}

/** The current URLs of the servers that the old version connected to. */
export interface Addresses {
  readonly model: string;
  readonly notes: string;
}

export function readFixtures(): Fixture[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(EXPECTATIONS));
  return files.toSorted().map((file) => {
    const name = file.slice(0, -EXPECTATIONS.length);
    const workspaces = join(FOLDER, `${name}.workspaces.tar.gz`);
    return {
      name,
      expectations: JSON.parse(unpacked(file)) as Expectations,
      sql: () => unpacked(`${name}.sql.gz`),
      hasWorkspaces: existsSync(workspaces),
      async unpackWorkspaces(dataDir) {
        for await (const entry of readArchive(createReadStream(workspaces))) {
          if (entry.header.name !== 'workspaces/') {
            await unpackOne(entry, join(dataDir, 'workspaces'));
          }
        }
      },
    };
  });
}

const unpacked = (file: string) => gunzipSync(readFileSync(join(FOLDER, file))).toString();

/** The first schema in which replicas record their host. */
const FIRST_WITH_HOSTS = 12;

/**
 * Restores into an empty database of the same host. Extends the deadlines of pending actions, which expired since the
 * dump.
 */
export async function restoreFixture(
  databaseUrl: string,
  fixture: Fixture,
  addresses: Addresses = { model: MODEL_URL, notes: NOTES_URL },
): Promise<void> {
  const sql = fixture
    .sql()
    .replaceAll(MODEL_URL, addresses.model)
    .replaceAll(NOTES_URL, addresses.notes);
  await execute(databaseUrl, sql);
  await execute(
    databaseUrl,
    `UPDATE public.chats SET action_deadline = now() + interval '1 hour' WHERE action_deadline IS NOT NULL`,
  );
  if (fixture.expectations.schema < FIRST_WITH_HOSTS) return;
  await execute(databaseUrl, `UPDATE public.workers SET host = '${hostname()}'`);
}
