import { oneLine } from '../output/terminal-text.ts';

/** The arguments that describe a tool call best, most descriptive first. */
const DESCRIPTIVE = [
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

/** A tool call on one line. */
export function toolTitle(name: string, args: unknown): string {
  const subject = typeof args === 'object' && args !== null ? subjectOf({ ...args }) : '';
  return oneLine(subject === '' ? name : `${name} ${subject}`);
}

function subjectOf(args: Readonly<Record<string, unknown>>): string {
  for (const field of DESCRIPTIVE) {
    const value = args[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return Object.keys(args).length === 0 ? '' : JSON.stringify(args);
}
