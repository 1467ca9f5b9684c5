import { NAMESPACES } from '../../packages/client/src/namespaces.ts';
import { openApiDocument } from '../../packages/server/src/http/openapi/openapi.ts';
import { curl } from './curl.ts';
import { type FieldRow, fieldsOf, fieldTable } from './fields.ts';
import {
  type Content,
  explanationOf,
  type Operation,
  type Parameter,
  scopeOf,
} from './operation.ts';
import { type Shapes, typeOf } from './schema.ts';
import { shapesOf, shapeText } from './shapes.ts';

interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Shapes };
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** docs/reference/api.md: every call, from the document that the server gives out. */
export function apiReference(): string {
  // It is made by a library whose type says no more than that it is one.
  const { paths, components, tags } = openApiDocument('') as Document;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const byTag = Map.groupBy(calls, ({ operation }) => operation.tags[0] ?? '');
  const common = commonProblems(calls);
  const shapes = shapesOf(components.schemas);
  const names = new Set([
    ...shapes.map(([name]) => name),
    ...calls.map(({ operation }) => operation.operationId),
  ]);
  const page = [
    INTRODUCTION,
    [...byTag].map(([tag, some]) => contents(tag, some)).join('\n'),
    `Every call can also refuse with ${problemList(common)}; [problems](#problems) says what each means.`,
    ...[...byTag].flatMap(([tag, some]) => [
      `## Calls: ${tag}`,
      tags.find(({ name }) => name === tag)?.description ?? '',
      ...some.map((call) => callText(call, common, components.schemas)),
    ]),
    '## Problems',
    problemTable(new Map(calls.flatMap(({ operation }) => [...problemsOf(operation)]))),
    '## Shapes',
    ...shapes.map(([name, schema]) => shapeText(name, schema)),
  ].join('\n\n');
  return linked(page, names);
}

/** Calls and shapes that a text names lead to where they are described; what is to be typed is left alone. */
function linked(page: string, names: ReadonlySet<string>): string {
  return page
    .split(/(^```.*?^```$)/ms)
    .map((text, index) =>
      index % 2 === 1
        ? text
        : text.replaceAll(/`(\w+)`/g, (quoted, name: string) =>
            names.has(name) ? `[${quoted}](#${name.toLowerCase()})` : quoted,
          ),
    )
    .join('');
}

const INTRODUCTION = `# API reference

<!-- page not run: one example of each call, which needs things that other calls make; every call is tested in packages/server/test/http -->

Every call of the API, as the server describes it at \`/openapi.json\` and shows it at \`/docs\`; \`npm run reference\` writes this page. [Using the
API](../api.md) explains how the calls work together, and [the SDK reference](sdk.md) how they look from code.

A field or parameter with a \`?\` may be left out, or is absent where that is said. An *id* is a UUID, a *time* is RFC 3339 in UTC. In the examples
\`$CHATD_URL\` is the server (\`http://127.0.0.1:7717\`) and \`$TOKEN\` an API token.`;

function contents(tag: string, calls: readonly Call[]): string {
  const links = calls.map(({ operation: { operationId: id } }) => `[${id}](#${id.toLowerCase()})`);
  return `- **[${tag}](#calls-${tag.toLowerCase().replaceAll(' ', '-')})**: ${links.join(' · ')}`;
}

function callText({ method, path, operation }: Call, common: Problems, shapes: Shapes): string {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const scope = scopeOf(operation);
  const own = [...problemsOf(operation)].filter(([name]) => !common.has(name));
  const facts = [
    `\`${method.toUpperCase()} ${path}\``,
    scope === undefined ? 'needs no token' : `scope \`${scope}\``,
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? ['`Idempotency-Key`'] : []),
    ...places(operationId),
  ];
  return [
    `### ${operationId}`,
    `${summary}. ${explanationOf(operation)}`,
    facts.join(' · '),
    fieldTable('parameter', parameters.filter((one) => one.in !== 'header').map(rowOf)),
    bodyText(requestBody?.content),
    Object.entries(responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, answer]) => answerText(status, answer))
      .join('\n\n'),
    own.length === 0 ? '' : `Refuses with ${problemList(new Map(own))}.`,
    curl(method, path, operation, shapes),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const rowOf = ({ name, required, schema, description }: Parameter): FieldRow => ({
  name,
  required: required === true,
  schema: description === undefined ? schema : { ...schema, description },
});

/** Where the SDK has it. */
function places(call: string): string[] {
  return Object.entries(NAMESPACES).flatMap(([namespace, methods]) =>
    Object.entries<string>(methods)
      .filter(([, name]) => name === call)
      .map(([method]) => `[\`client.${namespace}.${method}\`](sdk.md#${namespace.toLowerCase()})`),
  );
}

function bodyText(content: Content | undefined): string {
  const [[type, body] = []] = Object.entries(content ?? {});
  if (body === undefined) return '';
  if (type !== 'application/json') {
    return `The body is the bytes, with one of these as its \`Content-Type\`: ${Object.keys(content ?? {}).join(', ')}.`;
  }
  const rows = fieldsOf(body.schema);
  return rows.length === 0 ? `The body is ${typeOf(body.schema)}.` : fieldTable('body', rows);
}

function answerText(
  status: string,
  { description, content }: { description: string; content?: Content },
) {
  const [[type, answer] = []] = Object.entries(content ?? {});
  if (answer === undefined) return `Answers \`${status}\`: ${lowered(description)}.`;
  if (type === 'text/event-stream') {
    return `Answers \`${status}\` with a stream of ${typeOf(answer.schema)}, one each event.`;
  }
  if (type !== 'application/json') {
    return `Answers \`${status}\` with bytes: ${Object.keys(content ?? {}).join(', ')}.`;
  }
  const rows = fieldsOf(answer.schema);
  if (rows.length === 0) return `Answers \`${status}\` with ${typeOf(answer.schema)}.`;
  return `Answers \`${status}\` with\n\n${fieldTable('answer', rows)}`;
}

const lowered = (text: string) => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;

interface Refusal {
  readonly status: number;
  readonly title: string;
}
type Problems = ReadonlyMap<string, Refusal>;

/** By code, as the descriptions of the answers have them. */
function problemsOf({ responses }: Operation): Map<string, Refusal> {
  const texts = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return new Map(
    texts.flatMap(([status, { description }]) =>
      Array.from(
        description.matchAll(/`(\w+)`: ([^`]*?)(?:\. (?=`)|$)/g),
        ([, name = '', title = '']) => [name, { status: Number(status), title }] as const,
      ),
    ),
  );
}

function commonProblems(calls: readonly Call[]): Problems {
  const all = calls.map(({ operation }) => problemsOf(operation));
  const named = new Map(all.flatMap((some) => [...some]));
  // Those without a token, and those without a body, lack some of what nearly all have.
  const share = (name: string) => all.filter((some) => some.has(name)).length / all.length;
  return new Map([...named].filter(([name]) => share(name) > 0.9));
}

function problemList(problems: Problems): string {
  const byStatus = Map.groupBy(problems, ([, { status }]) => status);
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([status, some]) => `${status} ${some.map(([name]) => `\`${name}\``).join(', ')}`)
    .join(' · ');
}

function problemTable(problems: Problems): string {
  const rows = [...problems]
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([name, { status, title }]) => `| \`${name}\` | ${status} | ${title} |`);
  return ['| code | status | |', '| --- | --- | --- |', ...rows].join('\n');
}
