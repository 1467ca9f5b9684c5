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
