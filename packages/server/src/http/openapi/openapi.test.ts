import { expect, test } from 'vitest';
import { openApiDocument } from './openapi.ts';

interface Schema {
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly discriminator?: {
    readonly propertyName: string;
    readonly mapping: Readonly<Record<string, string>>;
  };
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A path in the document, and the description there. */
type Described = readonly [path: string, description: string | undefined];

/** The descriptions of all fields of a schema, at any depth. Referenced schemas are listed under their own names. */
function fieldsOf(schema: Schema, path: string): Described[] {
  const { properties = {}, items, additionalProperties, anyOf, oneOf } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]): Described[] => [
      [`${path}.${name}`, field.description],
      ...fieldsOf(field, `${path}.${name}`),
    ]),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
    ...(typeof additionalProperties === 'object'
      ? fieldsOf(additionalProperties, `${path}{}`)
      : []),
    ...(anyOf ?? oneOf ?? []).flatMap((one, index) => fieldsOf(one, `${path}(${index})`)),
  ];
}

const contentOf = (content: Content | undefined, path: string): Described[] =>
  Object.values(content ?? {}).flatMap(({ schema }) => fieldsOf(schema, path));

function descriptionsOf(operation: Operation): Described[] {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  return [
    [id, `${summary}.`],
    [`${id} description`, description.replace(/\n\nRequires the scope `\w+`\.$/, '')],
    ...parameters.map((one): Described => [`${id}?${one.name}`, one.description]),
    ...contentOf(requestBody?.content, `${id} body`),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
      contentOf(content, `${id} ${status}`),
    ),
  ];
}

// The return type is a plain object.
const { tags, paths, components } = openApiDocument('0.0.0') as Document;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const all = [
  ...tags.map(({ name, description }): Described => [name, description]),
  ...operations.flatMap(descriptionsOf),
  ...Object.entries(components.schemas).flatMap(([name, schema]): Described[] => [
    [name, schema.description],
    ...fieldsOf(schema, name),
  ]),
];

const undescribed = (entries: readonly Described[]) =>
  entries.filter(([, description = '']) => description.trim() === '').map(([path]) => path);

test('every operation, parameter, field and schema has a description', () => {
  expect(undescribed(all)).toEqual([]);
  expect(all.length).toBeGreaterThan(1000);
});

test('a field without a description is found at any depth and named by its path', () => {
  const schema: Schema = {
    properties: {
      said: { description: 'Said.' },
      list: { description: 'A list.', items: { properties: { first: {} } } },
      either: { description: 'One.', oneOf: [{}, { properties: { second: {} } }] },
      map: { description: 'A map.', additionalProperties: { properties: { third: {} } } },
      fourth: {},
    },
  };
  expect(undescribed(fieldsOf(schema, 'Shape'))).toEqual([
    'Shape.list[].first',
    'Shape.either(1).second',
    'Shape.map{}.third',
    'Shape.fourth',
  ]);
});

test('descriptions are sentences', () => {
  const odd = all.filter(([, text = '']) => !/^[A-Z0-9`](?:[^]*[^.])?\.$|\n- `/.test(text));
  expect(odd).toEqual([]);
});

test('operations are grouped under documented tags', () => {
  const named = new Set(tags.map(({ name }) => name));
  expect(operations.flatMap((one) => (one as Operation & { tags: string[] }).tags)).toSatisfy(
    (used: string[]) => used.every((tag) => named.has(tag)) && new Set(used).size === named.size,
  );
});

test('unions of tagged objects have a discriminator that maps every value to a named schema', () => {
  const { schemas } = (openApiDocument('1.2.3') as Document).components;
  const unions = Object.entries(schemas).filter(([, { oneOf }]) => oneOf !== undefined);
  expect(unions.map(([name]) => name).toSorted()).toEqual([
    'ChatEvent',
    'DesktopRequest',
    'InputPart',
    'McpAuth',
    'McpAuthInput',
    'Part',
    'TerminalControl',
    'TerminalNotice',
    'WatchEvent',
  ]);
  for (const [name, { oneOf = [], discriminator }] of unions) {
    const references = oneOf.map(({ $ref }) => $ref);
    expect(discriminator?.propertyName, name).toBe('type');
    expect(new Set(Object.values(discriminator?.mapping ?? {})), name).toEqual(new Set(references));
    for (const reference of references) {
      expect(schemas, name).toHaveProperty([reference?.replace('#/components/schemas/', '') ?? '']);
    }
  }
});
