import { oneLine } from '../output/terminal-text.ts';

/** What a call is mostly about, in the order of how telling it is. */
const TELLING = [
  'command',
  'path',
  'file_path',
  'url',
  'query',
  'pattern',
  'question',
  'prompt',
  'name',
];

/** A call of a tool on one line. */
export function toolTitle(name: string, args: unknown): string {
  const about = typeof args === 'object' && args !== null ? subject({ ...args }) : '';
  return oneLine(about === '' ? name : `${name} ${about}`);
}

function subject(args: Readonly<Record<string, unknown>>): string {
  for (const field of TELLING) {
    const value = args[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return Object.keys(args).length === 0 ? '' : JSON.stringify(args);
}
