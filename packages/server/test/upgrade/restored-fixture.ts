import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createDatabase } from '@chatd/test-server/database';
import { type Fixture, MODEL_URL, restoreFixture } from './fixture.ts';
import { NOTES_URL, startNotesServer } from './notes-server.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { startUpgraded, type UpgradedServer } from './upgraded-server.ts';

/** A restored fixture, with the model and the MCP server that it uses. */
export interface RestoredFixture {
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The file that tools append to. */
  readonly effects: string;
  readonly model: ScriptedModel;
  readonly notes: Awaited<ReturnType<typeof startNotesServer>>;
  /** Starts this version on it, or on a copy. */
  start(
    concurrency: number,
    copy?: { readonly databaseUrl: string; readonly dataDir: string },
  ): Promise<UpgradedServer>;
  /** Replaces the current addresses with the placeholders of the expectations. */
  withoutAddresses(text: string): string;
  close(): Promise<void>;
}

export async function openFixture(fixture: Fixture, folder: string): Promise<RestoredFixture> {
  const { name, expectations, hasWorkspaces } = fixture;
  const model = await startScriptedModel({ holds: false });
  const notes = await startNotesServer();
  const database = await createDatabase(inject('postgresUrl'));
  await restoreFixture(database.url, fixture, { model: model.provider.url, notes: notes.origin });
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  if (hasWorkspaces) await fixture.unpackWorkspaces(dataDir);
  const effects = join(folder, `${name}.jsonl`);
  const own = { databaseUrl: database.url, dataDir };
  return {
    ...own,
    effects,
    model,
    notes,
    start: (concurrency, where = own) =>
      startUpgraded(expectations, { ...where, concurrency, effects, workspaces: hasWorkspaces }),
    withoutAddresses: (text) =>
      text.replaceAll(model.provider.url, MODEL_URL).replaceAll(notes.origin, NOTES_URL),
    async close() {
      await notes.stop();
      await model.provider.close();
      await database.drop();
    },
  };
}
