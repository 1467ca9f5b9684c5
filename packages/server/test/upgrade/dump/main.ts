import { hostname } from 'node:os';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startPostgres } from '../../../../../faults/deployment/postgres.ts';
import { checkOut } from '../../../../../faults/upgrade/revision.ts';
import { removeAbandonedRuns } from '@chatd/test-server/temporary-directory';
import { type Expectations, MODEL_URL } from '../fixture.ts';
import { NOTES_URL, startNotesServer } from '../notes-server.ts';
import { observe, PlainApi } from '../observe.ts';
import { startScriptedModel } from '../scripted-model.ts';
import { anonymize } from './anonymize.ts';
import { cursorsOf } from './cursors.ts';
import { tellEarlyStory } from './early-story.ts';
import { startOldServer } from './old-server.ts';
import { dumpSql } from './sql.ts';
import { PASSWORD, tellStory } from './story.ts';
import { packFolder } from './workspace-folder.ts';

/*
 * Creates a fixture: starts an earlier commit of chatd, drives it into every state that it supports, kills it, and saves
 * its database and API responses.
 */
const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const ADMIN_TOKEN = 'upgrade-admin-token-0123456789';
const SECRET_KEY = 'upgrade-secret-key-0123456789';
/** The size limit of a fixture file. */
const MAX_BYTES = 100_000;

const [revision] = process.argv.slice(2);
if (revision === undefined) {
  process.stderr.write('npm run upgrade:dump -- REVISION\nA commit of chatd, such as b3489d1\n');
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const say = (line: string) => void process.stdout.write(`${line}\n`);

await removeAbandonedRuns();
const version = await checkOut(revision, say);
const postgres = await startPostgres();
const model = await startScriptedModel({ holds: true });
const notes = await startNotesServer();
try {
  await postgres.createDatabase('upgrade');
  const databaseUrl = postgres.urlOf('upgrade');
  say(`starting ${version.name} (schema ${version.schema.version})`);
  const server = await startOldServer(version, {
    databaseUrl,
    adminToken: ADMIN_TOKEN,
    secretKey: SECRET_KEY,
  });
  const admin = new PlainApi(server.url, ADMIN_TOKEN);
  say('driving it into every state');
  const { member, chats, files, spender } = server.hasWorker
    ? await tellStory(admin, model, notes.url)
    : await tellEarlyStory(admin, { directory: version.directory, databaseUrl });
  await anonymize(databaseUrl, version.schema.version);
  const now = Date.now();
  const day = (days: number) =>
    new Date(now + days * 86_400_000).toISOString().replace(/T.*/, 'T00:00:00Z');
  const range = `from=${day(-1)}&to=${day(2)}`;
  const { ['of-the-admin']: ofTheAdmin, ['deleted']: _, ...ofTheMember } = chats;
  const inRange = { files, range };
  const said = {
    admin: await observe(admin, {
      admin: true,
      chats: ofTheAdmin === undefined ? [] : [ofTheAdmin],
      ...inRange,
      files: [],
    }),
    member: await observe(member, {
      admin: false,
      chats: Object.values(ofTheMember),
      ...inRange,
    }),
  };
  const cursors = server.hasWorker ? await cursorsOf(member, ofTheMember) : {};
  await server.kill();
  const expectations: Expectations = {
    revision: version.name,
    schema: version.schema.version,
    tokens: { admin: ADMIN_TOKEN, member: member.token },
    password: PASSWORD,
    secretKey: SECRET_KEY,
    chats,
    files,
    ...(spender && { spender }),
    range,
    said,
    cursors,
  };
  const keep = async (ending: string, text: string) => {
    const clean = text
      .replaceAll(model.provider.url, MODEL_URL)
      .replaceAll(notes.origin, NOTES_URL);
    refuseTraces(clean);
    await keepBytes(ending, gzipSync(clean, { level: 9 }));
  };
  const keepBytes = async (ending: string, bytes: Uint8Array) => {
    const name = `${String(version.schema.version).padStart(4, '0')}-${version.name}.${ending}.gz`;
    if (bytes.length > MAX_BYTES) throw new Error(`${name} has ${bytes.length} bytes`);
    await writeFile(join(FIXTURES, name), bytes);
    say(`${name}: ${bytes.length} bytes`);
  };
  await keep('sql', await dumpSql(databaseUrl));
  await keep('json', JSON.stringify(expectations));
  if (server.hasWorker) await keepBytes('workspaces.tar', await packFolder(server.dataDir));
} finally {
  await notes.stop();
  await model.provider.close();
  await postgres.stop();
  await version.remove();
}
process.exit(0);

/** Throws if the text contains traces of this machine. */
function refuseTraces(text: string): void {
  for (const trace of [version.directory, hostname(), '127.0.0.1', 'localhost', '/tmp/']) {
    // As a whole word: a short name is also part of random text.
    const at = text.search(new RegExp(`(?<!\\w)${trace.replaceAll(/\W/g, '\\$&')}(?!\\w)`));
    if (at >= 0)
      throw new Error(`the dump speaks of this machine: ${text.slice(at - 80, at + 80)}`);
  }
}
