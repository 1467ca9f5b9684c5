import { readFile } from 'node:fs/promises';

/** A side effect of a tool call: one line of the file that all replicas append to. */
export interface Effect {
  /** Identifies the call: message id and step. */
  readonly key: string;
  readonly what: 'begin' | 'tick' | 'stopped' | 'end';
  /** The replica process. Commands in workspaces have none, and no time. */
  readonly pid: number;
  /** The child process. */
  readonly child?: number;
  readonly at: number;
}

/** If the disk was full, lines without their end are skipped. */
export async function readEffects(
  file: string,
  { onFullDisk = false }: { readonly onFullDisk?: boolean } = {},
): Promise<Effect[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '' && (!onFullDisk || line.endsWith('}')))
    .map((line) => JSON.parse(line) as Effect);
}
