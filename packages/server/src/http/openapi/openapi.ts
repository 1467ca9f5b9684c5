import {
  API_PREFIX,
  DesktopNotice,
  DesktopRequest,
  type EventStream,
  isEventStream,
  isMedia,
  isTwoWay,
  type Media,
  Problem,
  type ProblemCode,
  PROBLEMS,
  type Route,
  type RouteName,
  routes,
  scopesOf,
  TAGS,
  TerminalControl,
  TerminalNotice,
  turnEvent,
} from '@chatd/protocol';
import type { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { takesKey } from '../idempotency.ts';
import { withDiscriminators } from './openapi-unions.ts';
import { refusalsOf } from './refusals.ts';

const MEANINGS: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done, without a body',
};

/** The OpenAPI 3.1 document, from the table that also binds the handlers and types the client. */
export function openApiDocument(version: string): object {
  const paths: ZodOpenApiPathsObject = {};
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const path = `${API_PREFIX}${route.path}`;
    paths[path] = { ...paths[path], [route.method]: operation(name, route) };
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'chatd',
      version,
      description: 'Durable AI agent conversations. Errors are problem+json with a stable `code`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    components: {
      // OpenAPI cannot describe WebSocket messages. The responses refer to these schemas.
      schemas: { TerminalControl, TerminalNotice, DesktopRequest, DesktopNotice },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API token from `createToken`, for programs.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'chatd_session',
          description: 'A browser session from `signIn` or a sign-in link.',
        },
      },
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
  });
  const schemas = withDiscriminators(withoutRecursion({ ...document.components?.schemas }));
  return { ...document, components: { ...document.components, schemas } };
}

/** Replaces the unnamed recursive schema that zod generates for any JSON value with an empty one. */
function withoutRecursion(
  schemas: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const shown = Object.entries(schemas).filter(([name]) => !isRecursion(name));
  return Object.fromEntries(shown.map(([name, schema]) => [name, withoutReference(schema)]));
}

const isRecursion = (name: string) => name.startsWith('__schema');

function withoutReference(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('$ref' in schema)) return schema;
  const { $ref, ...rest } = schema;
  return isRecursion(String($ref).replace(/^.*\//, '')) ? rest : schema;
}

function operation(name: RouteName, route: Route): ZodOpenApiOperationObject {
  const { params, query, body } = route;
  return {
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    ...(route.scope === null
      ? { description: route.description, security: [] }
      : {
          description: `${route.description}${guestsOf(route)}\n\nRequires the scope ${scopesOf(
            route.scope,
          )
            .map((scope) => `\`${scope}\``)
            .join(' and ')}.`,
        }),
    requestParams: { ...(params && { path: params }), ...(query && { query }) },
    ...(takesKey(route) && { parameters: [IDEMPOTENCY_KEY] }),
    ...(body !== undefined && { requestBody: { required: true, content: content(body) } }),
    responses: { ...answers(route), ...problems(name) },
  };
}

/** Who can call it besides the owner. */
const guestsOf = ({ access, link }: Route): string =>
  access === undefined
    ? ''
    : ` In a shared chat, requires the role \`${access}\`${link === true ? ', or its link' : ''}.`;

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header' as const,
  description: 'Repeating a request with the same key within 24 hours returns the first response.',
  schema: { type: 'string' as const, pattern: '^[\\x21-\\x7e]{1,255}$' },
};

function content(shape: z.ZodType | Media | EventStream) {
  if (isEventStream(shape)) return { 'text/event-stream': { schema: shape.events } };
  if (!isMedia(shape)) return { 'application/json': { schema: shape } };
  return Object.fromEntries(
    shape.media.map((type) => [type, { schema: { type: 'string' as const, format: 'binary' } }]),
  );
}

const streamContent = (shape: z.ZodType | Media | EventStream) =>
  isMedia(shape) || isEventStream(shape) ? {} : content({ events: turnEvent(shape) });

function answers(route: Route): Record<string, ZodOpenApiResponseObject> {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, shape]) => [
      status,
      {
        description: isTwoWay(shape) ? shape.socket : (MEANINGS[Number(status)] ?? 'Done'),
        ...(shape !== null &&
          !isTwoWay(shape) && {
            content: {
              ...content(shape),
              ...(route.streamed && streamContent(shape)),
              ...(route.csv && { 'text/csv': { schema: { type: 'string' as const } } }),
            },
          }),
      },
    ]),
  );
}

/** One response per status, with all its codes. */
function problems(name: RouteName): Record<string, ZodOpenApiResponseObject> {
  const codes = Map.groupBy(refusalsOf(name), (code: ProblemCode) => PROBLEMS[code][0]);
  return Object.fromEntries(
    [...codes].map(([status, some]) => [
      String(status),
      {
        description: some.map((code) => `\`${code}\`: ${PROBLEMS[code][1]}`).join('. '),
        content: { 'application/problem+json': { schema: Problem } },
      },
    ]),
  );
}
