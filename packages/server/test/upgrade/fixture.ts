import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readArchive } from '../../src/backup/archive-reader.ts';
import { unpackOne } from '../../src/backup/workspace-files.ts';
import { execute } from '@chatd/test-server/database';
import { NOTES_URL } from './notes-server.ts';
import type { Observed } from './observe.ts';

/** What is known of a dump. */
export interface Expectations {
  /** The commit whose program made it, and how far its migrations went. */
  readonly revision: string;
  readonly schema: number;
  /** Whose tokens they are; the admin's is given at the start, as an operator does. */
  readonly tokens: { readonly admin: string; readonly member: string };
  readonly password: { readonly username: string; readonly password: string };
  /** What encrypts the keys in it. */
  readonly secretKey: string;
  /** Chats by what they are an example of; absent where the version could not have one. */
  readonly chats: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  /** One who may spend nothing more, and a chat of theirs. */
  readonly spender?: { readonly token: string; readonly chat: string };
  readonly range: string;
  /** What the version's own API said, just before it was killed. */
  readonly said: { readonly admin: Observed; readonly member: Observed };
  /** Cursors of viewers who had seen everything, by chat; absent where there were no streams. */
  readonly cursors: Readonly<Record<string, string>>;
}

/** In a dump and its expectations it stands for the address of the model. */
export const MODEL_URL = 'http://model.invalid';

const FOLDER = join(import.meta.dirname, 'fixtures');
const EXPECTATIONS = '.json.gz';

/** A database as an earlier version has left it. */
export interface Fixture {
  readonly name: string;
  readonly expectations: Expectations;
  /** The statements that make it. */
  readonly sql: () => string;
  /** Its data directory had workspaces, which come along. */
  readonly hasWorkspaces: boolean;
  /** Lays them out below a data directory. */
  unpackWorkspaces(dataDir: string): Promise<void>;
}

/** Where those are now whom the old version has talked to. */
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

/** Into an empty database. The time since the dump was made is no time in which a client could have answered. */
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
}
