import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'known-seeds.json');

/** A seed that has failed, and with which problem. */
export interface KnownSeed {
  readonly seed: number;
  readonly problem: string;
}

export const readKnownSeeds = async (): Promise<KnownSeed[]> =>
  JSON.parse(await readFile(FILE, 'utf8')) as KnownSeed[];

/** Tests replay these seeds from now on. */
export async function addKnownSeeds(failed: readonly KnownSeed[]): Promise<void> {
  const known = new Map((await readKnownSeeds()).map((one) => [one.seed, one]));
  for (const one of failed) if (!known.has(one.seed)) known.set(one.seed, one);
  const lines = [...known.values()]
    .sort((one, other) => one.seed - other.seed)
    .map(({ seed, problem }) => `  { "seed": ${seed}, "problem": ${JSON.stringify(problem)} }`);
  await writeFile(FILE, `[\n${lines.join(',\n')}\n]\n`);
}
