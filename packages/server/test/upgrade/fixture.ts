import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { query } from '../support/sql.ts';
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
  /** The statements that make it, with a model at this address. */
  sql(modelUrl: string): string;
}

export function readFixtures(): Fixture[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(EXPECTATIONS));
  return files.toSorted().map((file) => {
    const name = file.slice(0, -EXPECTATIONS.length);
    return {
      name,
      expectations: JSON.parse(unpacked(file)) as Expectations,
      sql: (modelUrl) => unpacked(`${name}.sql.gz`).replaceAll(MODEL_URL, modelUrl),
    };
  });
}

const unpacked = (file: string) => gunzipSync(readFileSync(join(FOLDER, file))).toString();

/** Into an empty database. The time since the dump was made is no time in which a client could have answered. */
export async function restoreFixture(
  databaseUrl: string,
  fixture: Fixture,
  modelUrl: string = MODEL_URL,
): Promise<void> {
  await query(databaseUrl, fixture.sql(modelUrl));
  await query(
    databaseUrl,
    `UPDATE public.chats SET action_deadline = now() + interval '1 hour' WHERE action_deadline IS NOT NULL`,
  );
}
