import { existsSync, readdirSync } from 'node:fs';
import type { Api } from '../../src/api.ts';

/** Recorded streams of real services, stored next to the repository. */
const FOLDER = new URL('../../../../../shared/fixtures/recorded/', import.meta.url);

export interface Recorded {
  api: Api;
  name: string;
  url: URL;
}

/** The APIs of the streams in each directory. */
const FOLDERS: [folder: string, api: Api][] = [
  ['anthropic', 'anthropic'],
  ['openai-responses', 'openai-responses'],
  ['openai-responses', 'azure-responses'],
  ['openai-chat', 'openai-compatible'],
  ['google', 'google'],
];

export const RECORDED: Recorded[] = FOLDERS.flatMap(([name, api]) => {
  const folder = new URL(`${name}/`, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => ({ api, name: `${api}/${name}`, url: new URL(name, folder) }));
});

/** The reason for skipping recordings, if any. */
export const MISSING: string[] =
  RECORDED.length > 0 ? [] : ['../shared/fixtures/recorded does not exist beside the repository'];
