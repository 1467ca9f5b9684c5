import {
  DesktopNotice,
  DesktopRequest,
  isEventStream,
  Problem,
  type Route,
  routes,
  TerminalControl,
  TerminalNotice,
} from '@chatd/protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';

interface Found {
  readonly where: string;
  readonly schema: z.ZodType;
  readonly examples: readonly unknown[];
}

/** All nested schemas with examples. A schema that several fields share is found once. */
function withExamples(schema: z.ZodType, where: string, seen = new Set<z.ZodType>()): Found[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { examples } = schema.meta() ?? {};
  return [
    ...(Array.isArray(examples) ? [{ where, schema, examples }] : []),
    ...within(schema).flatMap(([name, inner]) =>
      withExamples(inner, name === '' ? where : `${where}.${name}`, seen),
    ),
  ];
}

function within(schema: z.ZodType): [string, z.ZodType][] {
  if (schema instanceof z.ZodObject) return Object.entries<z.ZodType>(schema.shape);
  if (schema instanceof z.ZodArray) return [['[]', schema.element as z.ZodType]];
  if (schema instanceof z.ZodRecord) return [['{}', schema.valueType as z.ZodType]];
  if (schema instanceof z.ZodPipe) return [['', schema.in as z.ZodType]];
  if (schema instanceof z.ZodUnion) {
    return schema.options.map((option, index) => [`(${index})`, option as z.ZodType]);
  }
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return [['', schema.unwrap() as z.ZodType]];
  }
  return schema instanceof z.ZodDefault ? [['', schema.unwrap() as z.ZodType]] : [];
}

function schemasOf([name, route]: [string, Route]): [string, z.ZodType][] {
  const { params, query, body, answers } = route;
  const shapes = [params, query, body, ...Object.values(answers)];
  return shapes.flatMap((shape): [string, z.ZodType][] => {
    if (shape instanceof z.ZodType) return [[name, shape]];
    return isEventStream(shape) ? [[name, shape.events]] : [];
  });
}

const all = [
  ...Object.entries<Route>(routes).flatMap(schemasOf),
  ...Object.entries({ Problem, TerminalControl, TerminalNotice, DesktopNotice, DesktopRequest }),
];
const seen = new Set<z.ZodType>();
const found = all.flatMap(([name, schema]) => withExamples(schema, name, seen));

test('examples are found in bodies, queries, and answers', () => {
  const places = found.map(({ where }) => where);
  expect(places).toEqual(
    expect.arrayContaining(['createChat.content', 'listChats.label', 'uploadFile.name']),
  );
  expect(places.length).toBeGreaterThan(80);
});

test('every example matches its schema', () => {
  const wrong = found.flatMap(({ where, schema, examples }) =>
    examples.flatMap((example) => {
      const { error } = schema.safeParse(example);
      return error === undefined ? [] : [{ where, example, message: error.message }];
    }),
  );
  expect(wrong).toEqual([]);
});
