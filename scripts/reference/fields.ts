import { alternatives, code, type Schema, typeOf } from './schema.ts';

export interface FieldRow {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** The fields of an object; nested fields with their full path. */
export function fieldsOf(schema: Schema, prefix = ''): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const row = {
      name: `${prefix}${name}`,
      required: schema.required?.includes(name) === true,
      schema: field,
    };
    return [row, ...within(field, row.name)];
  });
}

function within(field: Schema, name: string): FieldRow[] {
  if (field.$ref !== undefined) return [];
  if (field.type === 'array' && field.items !== undefined) return within(field.items, `${name}[]`);
  const objects = (alternatives(field) ?? [field]).filter(({ properties }) => properties);
  // Unions of objects are described by their names.
  return objects.length === 1 ? fieldsOf(objects[0] ?? {}, `${name}.`) : [];
}

/** A table of fields; empty for an object without fields. */
export function fieldTable(title: string, rows: readonly FieldRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(({ name, required, schema }) => {
    const needed = required || schema.default !== undefined ? '' : '?';
    return `| \`${name}\`${needed} | ${typeOf(schema)} | ${wordsOf(schema)} |`;
  });
  return [`| ${title} | type | description |`, '| --- | --- | --- |', ...lines].join('\n');
}

/** The description cell of a field: meaning, default and example. */
function wordsOf({ description = '', default: usual, examples = [] }: Schema): string {
  const [example] = examples;
  return [
    description.replaceAll('|', '\\|'),
    ...(usual === undefined || description.includes('Default: ')
      ? []
      : [`Default: ${usual === '' ? 'empty' : code(usual)}.`]),
    ...(example === undefined ? [] : [`For example ${code(example)}.`]),
  ].join(' ');
}
