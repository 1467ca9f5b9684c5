import { type FieldRow, fieldsOf, fieldTable } from './fields.ts';
import { alternatives, code, type Schema, type Shapes, shapeName, typeOf } from './schema.ts';

/** Schemas by display name, sorted. */
export function shapesOf(schemas: Shapes): [string, Schema][] {
  const named = new Map<string, Schema>();
  for (const [name, schema] of Object.entries(schemas)) {
    const shown = shapeName(name);
    if (shown !== 'Json' && !named.has(shown)) named.set(shown, schema);
  }
  return [...named].toSorted(([a], [b]) => a.localeCompare(b));
}

export function shapeText(name: string, schema: Schema): string {
  const { description = '', enum: values } = schema;
  const some = alternatives(schema);
  return [
    `### ${name}`,
    description,
    ...(some === undefined ? wholeText(schema) : alternativesText(some)),
    ...(values === undefined || description.includes('\n') ? [] : [`One of ${typeOf(schema)}.`]),
  ].join('\n\n');
}

function wholeText(schema: Schema): string[] {
  const rows = fieldsOf(schema);
  if (rows.length > 0) return [fieldTable('field', rows)];
  return schema.enum === undefined ? [`${sentence(typeOf(schema))}${exampleOf(schema)}`] : [];
}

/** Lists shared fields, including the discriminator, once. */
function alternativesText(some: readonly Schema[]): string[] {
  const shared = sharedBy(some.map((schema) => fieldsOf(schema)));
  const names = new Set(shared.map(({ name }) => name));
  return [
    ...(shared.length === 0 ? ['One of:'] : [fieldTable('shared field', shared), 'One of:']),
    ...some.flatMap((schema) => alternativeText(schema, names)),
  ];
}

function sharedBy([first = [], ...others]: readonly FieldRow[][]): FieldRow[] {
  return first.flatMap((row) => {
    const all = [row, ...others.flatMap((rows) => rows.filter(({ name }) => name === row.name))];
    if (all.length <= others.length) return [];
    const values = all.map(({ schema }) => schema.const);
    if (!values.includes(undefined))
      return [{ ...row, schema: { ...row.schema, const: undefined, enum: values } }];
    return all.every((one) => JSON.stringify(one) === JSON.stringify(row)) ? [row] : [];
  });
}

function alternativeText(schema: Schema, shared: ReadonlySet<string>): string[] {
  const { title, description } = schema;
  const heading = [
    ...(title === undefined ? [] : [`**${title}**`]),
    ...(description === undefined ? [] : [description]),
  ].join(': ');
  const list = schema.type === 'array' ? alternatives(schema.items ?? {}) : undefined;
  if (list !== undefined) {
    return [heading, ...alternativesText(list)];
  }
  const fields = fieldsOf(schema);
  if (fields.length === 0) return [`${heading} ${sentence(typeOf(schema))}${exampleOf(schema)}`];
  const rows = fields.filter(({ name }) => !shared.has(name));
  return rows.length === 0 ? [heading] : [heading, fieldTable('field', rows)];
}

const sentence = (words: string) => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;

function exampleOf({ examples: [example] = [] }: Schema): string {
  return example === undefined ? '' : ` For example ${code(example)}.`;
}
