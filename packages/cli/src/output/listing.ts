import type { Context } from '../context.ts';
import { oneLine, terminalText } from './terminal-text.ts';
import { type Column, table } from './table.ts';

/** The option of everything that can be read by a program, too. */
export const JSON_OPTION = {
  json: { type: 'boolean', help: 'JSON, for programs' },
} as const;

export function printJson({ print }: Context, value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`);
}

/** A list: a table for people, an array for programs. */
export function printList<Row>(
  context: Context,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { json, none }: { readonly json: boolean | undefined; readonly none: string },
): void {
  if (json === true) return printJson(context, rows);
  if (rows.length === 0) return context.say(none);
  const width = context.stdout.isTTY ? context.stdout.columns : undefined;
  context.print(table(rows, columns, { style: context.style, width }));
}

/** One thing: its fields, a line each, or as JSON. */
export function printRecord(context: Context, record: object, json: boolean | undefined): void {
  if (json === true) return printJson(context, record);
  const fields = Object.entries(record).filter(([, value]) => value !== undefined);
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) {
    context.print(`${context.style('dim', name.padEnd(width))}  ${shown(value)}\n`);
  }
}

function shown(value: unknown): string {
  if (value === null) return '–';
  if (typeof value === 'string') return terminalText(value).trimEnd();
  return oneLine(JSON.stringify(value));
}
