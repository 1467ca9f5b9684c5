import type { Context } from '../context.ts';
import { type Column, table } from './table.ts';
import { oneLine, terminalText } from './terminal-text.ts';

export function printJson({ print }: Context, value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a table, or a JSON array. */
export function printList<Row>(
  context: Context,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { json, none }: { readonly json: boolean | undefined; readonly none: string },
): void {
  if (json === true) return printJson(context, rows);
  if (rows.length === 0) return context.log(none);
  const width = context.stdout.isTTY ? context.stdout.columns : undefined;
  context.print(table(rows, columns, { style: context.style, width }));
}

/** Prints one field per line, or a JSON object. */
export function printRecord(context: Context, record: object, json: boolean | undefined): void {
  if (json === true) return printJson(context, record);
  const fields = Object.entries(record).filter(([, value]) => value !== undefined);
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) {
    context.print(`${context.style('dim', name.padEnd(width))}  ${format(value)}\n`);
  }
}

function format(value: unknown): string {
  if (value === null) return '–';
  if (typeof value === 'string') return terminalText(value).trimEnd();
  return oneLine(JSON.stringify(value));
}
