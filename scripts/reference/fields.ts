import { alternatives, code, type Schema, typeOf } from './schema.ts';

export interface FieldRow {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** The fields of an object, those of objects within it by their whole path. */
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
  // Several kinds of objects are told apart where they have a name.
  return objects.length === 1 ? fieldsOf(objects[0] ?? {}, `${name}.`) : [];
}

/** A table; nothing for an object without fields. */
export function fieldTable(title: string, rows: readonly FieldRow[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map(({ name, required, schema }) => {
    const needed = required || schema.default !== undefined ? '' : '?';
    return `| \`${name}\`${needed} | ${typeOf(schema)} | ${wordsOf(schema)} |`;
  });
  return [`| ${title} | | |`, '| --- | --- | --- |', ...lines].join('\n');
}

/** What is said of a field, in one cell: what it means, what it is unless given, what it may look like. */
function wordsOf({ description = '', default: usual, examples = [] }: Schema): string {
  const [example] = examples;
  return [
    description.replaceAll('|', '\\|'),
    ...(usual === undefined ? [] : [`${usual === '' ? 'Empty' : code(usual)} unless given.`]),
    ...(example === undefined ? [] : [`For example ${code(example)}.`]),
  ].join(' ');
}
