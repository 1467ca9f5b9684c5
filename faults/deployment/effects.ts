import { readFile } from 'node:fs/promises';

/** What a tool call did to the world, as a line of the file that all replicas append to. */
export interface Effect {
  /** Of the call: the user's message and its place in the plan. */
  readonly key: string;
  readonly what: 'begin' | 'tick' | 'stopped' | 'end';
  /** The replica that ran it. */
  readonly pid: number;
  /** The program that it started. */
  readonly child?: number;
  readonly at: number;
}

export async function readEffects(file: string): Promise<Effect[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Effect);
}
