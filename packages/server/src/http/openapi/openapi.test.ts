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

/** What is said, and where. */
type Words = readonly [path: string, words: string | undefined];

/** Of every field of a schema, however deep; what it refers to by name is described under that name. */
function fieldsOf(schema: Schema, path: string): Words[] {
  const { properties = {}, items, additionalProperties, anyOf, oneOf } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]): Words[] => [
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

const contentOf = (content: Content | undefined, path: string): Words[] =>
  Object.values(content ?? {}).flatMap(({ schema }) => fieldsOf(schema, path));

function wordsOf(operation: Operation): Words[] {
  const { operationId: id, summary, description, parameters = [], requestBody } = operation;
  return [
    [id, `${summary}.`],
    [`${id}, besides`, description.replace(/\n\nRequires the scope `\w+`\.$/, '')],
    ...parameters.map((one): Words => [`${id}?${one.name}`, one.description]),
    ...contentOf(requestBody?.content, `${id} body`),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
      contentOf(content, `${id} ${status}`),
    ),
  ];
}

// It is made by a library whose type says no more than that it is one.
const { tags, paths, components } = openApiDocument('0.0.0') as Document;
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
const all = [
  ...tags.map(({ name, description }): Words => [name, description]),
  ...operations.flatMap(wordsOf),
  ...Object.entries(components.schemas).flatMap(([name, schema]): Words[] => [
    [name, schema.description],
    ...fieldsOf(schema, name),
  ]),
];

const silent = (words: readonly Words[]) =>
  words.filter(([, said = '']) => said.trim() === '').map(([path]) => path);

test('every call, every parameter, every field and every shape says what it means', () => {
  expect(silent(all)).toEqual([]);
  expect(all.length).toBeGreaterThan(1000);
});

test('a field without words is found wherever it stands, and named by its path', () => {
  const schema: Schema = {
    properties: {
      said: { description: 'Said.' },
      list: { description: 'A list.', items: { properties: { first: {} } } },
      either: { description: 'One.', oneOf: [{}, { properties: { second: {} } }] },
      map: { description: 'A map.', additionalProperties: { properties: { third: {} } } },
      fourth: {},
    },
  };
  expect(silent(fieldsOf(schema, 'Shape'))).toEqual([
    'Shape.list[].first',
    'Shape.either(1).second',
    'Shape.map{}.third',
    'Shape.fourth',
  ]);
});

test('what is said is said in sentences', () => {
  const odd = all.filter(([, said = '']) => !/^[A-Z0-9`](?:[^]*[^.])?\.$|\n- `/.test(said));
  expect(odd).toEqual([]);
});

test('calls are grouped under headings that are described', () => {
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
