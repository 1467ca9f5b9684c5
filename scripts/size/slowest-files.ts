import { stripVTControlCharacters } from 'node:util';

export interface TestFile {
  readonly path: string;
  readonly seconds: number;
}

const LINE = /^ [✓❯×] .*?(\S+\.test\.tsx?) \(.*\) (\d+)ms$/gm;

/** The slowest test files in the output of `npm test`. */
export function slowestFiles(output: string, count: number): TestFile[] {
  return [...stripVTControlCharacters(output).matchAll(LINE)]
    .map(([, path = '', ms]) => ({ path, seconds: Number(ms) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}

const STAGE = /^(?:ok|FAILED) +(\S.*?) \((\d+(?:\.\d+)?) s\)$/gm;

/** The stages in the output of `npm test` with their duration: checks, which overlap, and then the tests. */
export function stages(output: string): { readonly name: string; readonly seconds: number }[] {
  return [...stripVTControlCharacters(output).matchAll(STAGE)].map(([, name = '', seconds]) => ({
    name,
    seconds: Number(seconds),
  }));
}
