import {
  FILE_BYTES_LIMIT,
  isMedia,
  isTwoWay,
  type Route,
  type RouteName,
  routes,
  scopesOf,
} from '@chatd/protocol';
import type { z } from 'zod';
import { actorOf, auditDetail, writeAuditEvent } from '../auth/audit.ts';
import { actsAsAdmin, type Caller } from '../auth/caller.ts';
import type { Queryable } from '../store/statement.ts';
import type { Transaction } from '../store/transaction.ts';
import { guestOf, type Holder, holderOf } from '../stream/holders.ts';
import type { PreparedStream, TurnStart } from '../stream/streams.ts';
import { prefers } from './request/accept.ts';
import { JSON_BYTES_LIMIT, mediaTypeOf, readBody } from './request/body.ts';
import type { Exchange } from './exchange.ts';
import { DATA_HEADERS } from './headers.ts';
import {
  idempotencyKeyOf,
  once,
  requestHash,
  takesKey,
  type WrittenResponse,
} from './idempotency.ts';
import { issueMessage } from './request/issue-message.ts';
import { refusalFrom, type Source } from './request/issues.ts';
import { parseJson, unknownField } from './request/json.ts';
import type { WebSocketHandler } from './sockets/web-socket.ts';
import { parseQueryString } from './request/query-string.ts';
import { Refused } from '../chat/refused.ts';
import type { Services } from './services.ts';
import { findTurnStart } from './streamed-response.ts';

/** Serves the requests of one route. Throws errors for `problem.ts`. */
export type Serve = (
  services: Services,
  exchange: Exchange,
  params: Readonly<Record<string, string>>,
) => Promise<Response | Streaming | WebSocketHandler>;

/** A response that is a stream. */
export class Streaming {
  readonly joining: PreparedStream;

  constructor(joining: PreparedStream) {
    this.joining = joining;
  }
}

/** The steps of every call: authorize, limit, find the resources, parse, run the handler, write the response. */
export function serve(name: RouteName, handler: (call: never) => Promise<AnyResponse>): Serve {
  const route: Route = routes[name];
  const keyed = takesKey(route);
  const includedFor = (caller: Caller) => ({
    deleted: route === routes.restoreChat,
    anyOwner: route.anyOwner === true && actsAsAdmin(caller),
  });

  const respondTo = async (
    services: Services,
    exchange: Exchange,
    admitted: Omit<AnyCall, 'body' | 'db' | 'tx' | 'record' | 'exchange'>,
  ): Promise<Writable> => {
    const { caller, params, query } = admitted;
    const { body, bytes } = await readBodyOf(route, exchange);
    const { database } = services.store;
    const audited = isAudited(route, query) ? route.audit : undefined;
    const record = async (db: Queryable, targetId?: string) => {
      if (audited === undefined) return;
      await writeAuditEvent(db, actorOf(caller, exchange.address), {
        action: audited.action,
        targetId: namedTarget(audited.action, params) ?? targetId ?? null,
        detail: auditDetail(route.method === 'get' ? query : body, audited.values),
      });
    };
    const byHandler = audited?.byHandler === true;
    const key = keyed && caller !== null ? idempotencyKeyOf(exchange) : undefined;

    const run = async (tx: Transaction | undefined) => {
      const call: AnyCall = {
        ...admitted,
        body,
        db: tx ?? (route.method === 'get' ? database.reads : database),
        tx,
        record,
        exchange,
      };
      // Parsed with the same table that types the handler.
      const answer = written(await handler(call as never));
      if (tx !== undefined && audited !== undefined && !byHandler) {
        await record(tx, idIn(answer.body));
      }
      return answer;
    };
    if (key === undefined || caller === null) {
      if (audited === undefined || byHandler) return await run(undefined);
      if (route.method !== 'get') return await finished(await database.transaction(run));
      const answer = await run(undefined);
      await record(database);
      return answer;
    }
    const hash = requestHash(exchange, bytes);
    const asked = { userId: caller.user.id, key, hash };
    const outcome = await once(database, asked, run);
    if ('first' in outcome) return await finished(outcome.first);
    return { ...outcome.kept, headers: { 'idempotency-replayed': 'true' } };
  };

  return async (services, exchange, rawParams) => {
    const streamed =
      route.streamed === true && prefers(exchange.header('accept'), 'text/event-stream');
    const scope = streamed ? [...scopesOf(route.scope), 'read' as const] : route.scope;
    const caller = await services.authorizer.authorize(exchange.credentials, scope, route);
    const params = parsed('params', route.params, rawParams);
    const rawQuery = parseQueryString(exchange.search);
    // Before the database is read: a refused request is cheap. Before the body is read: a waiting request is small.
    const leave = await services.limits.admit(name, { caller, exchange, query: rawQuery });
    try {
      const found =
        caller === null
          ? {}
          : await services.authorizer.find(caller, params, includedFor(caller), route.access);
      const query = parsed('query', route.query, rawQuery);
      if (isTwoWay(route.answers[101]) && exchange.upgrade === undefined) throw upgradeRequired();
      const perform = () => respondTo(services, exchange, { params, query, caller, found });
      if (streamed && caller !== null) {
        const holder = holderOf(caller, found.chat && { guest: guestOf(found.chat) });
        return await streamTurn(services, holder, params, perform);
      }
      const answer = await perform();
      if (answer.socket !== undefined) return answer.socket;
      return answer.stream === undefined ? respond(answer) : new Streaming(answer.stream);
    } finally {
      leave();
    }
  };
}

const isAudited = ({ audit }: Route, query: unknown): boolean =>
  audit !== undefined &&
  (audit.onlyWith === undefined || (query as Record<string, unknown>)[audit.onlyWith] === true);

/** The object that the path names. */
function namedTarget(action: string, params: unknown): string | undefined {
  const [kind = ''] = action.split('.');
  const named = (params as Record<string, unknown>)[`${kind}_id`];
  return typeof named === 'string' ? named : undefined;
}

/** The id of the object in the response. */
const idIn = (response: string | null): string | undefined =>
  response === null ? undefined : (JSON.parse(response) as { readonly id?: string }).id;

async function finished(answer: Writable): Promise<Writable> {
  await answer.afterCommit?.();
  return answer;
}

/** Responds with a stream of the turn. Refusals of the stream come before the request takes effect. */
async function streamTurn(
  { streams, store }: Services,
  holder: Holder,
  params: Readonly<Record<string, unknown>>,
  perform: () => Promise<Writable>,
): Promise<Streaming> {
  const reservation = await streams.reserve(holder);
  try {
    const { status, body, headers = {}, turn } = await perform();
    const response = body ?? 'null';
    const start = turn ?? (await findTurnStart(store.database, params, response));
    return new Streaming({ ...reservation.followTurn(start, response), status, headers });
  } catch (error) {
    reservation.cancel();
    throw error;
  }
}

const upgradeRequired = () =>
  new Refused('upgrade_required', 'This path requires a WebSocket upgrade.');

function parsed(
  source: Source,
  schema: z.ZodType | undefined,
  input: unknown,
): Readonly<Record<string, unknown>> {
  if (schema === undefined) {
    const [stray] = source === 'query' ? Object.keys(input as object) : [];
    if (stray === undefined) return {};
    throw unknownField(stray);
  }
  return parse(source, schema, input) as Readonly<Record<string, unknown>>;
}

function parse(source: Source, schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input, { error: issueMessage });
  if (!result.success) throw refusalFrom(source, result.error.issues);
  return result.data;
}

async function readBodyOf(
  route: Route,
  { incoming }: Exchange,
): Promise<{ body: unknown; bytes: Buffer | undefined }> {
  if (route.body === undefined) return { body: undefined, bytes: undefined };
  const mediaType = mediaTypeOf(incoming);
  if (isMedia(route.body)) {
    if (mediaType === undefined || mediaType.startsWith('multipart/')) {
      throw new Refused(
        'unsupported_media_type',
        'Send the raw bytes of the file with its media type as Content-Type.',
      );
    }
    const bytes = await readBody(incoming, FILE_BYTES_LIMIT);
    return { body: { mediaType, bytes }, bytes };
  }
  if (mediaType !== 'application/json') {
    throw new Refused('unsupported_media_type', 'Send Content-Type: application/json.');
  }
  const bytes = await readBody(incoming, route.bodyBytes ?? JSON_BYTES_LIMIT);
  return { body: parse('body', route.body, parseJson(bytes)), bytes };
}

/** A call without the types of its route. */
interface AnyCall {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller | null;
  readonly found: unknown;
  readonly db: Queryable;
  readonly tx: Transaction | undefined;
  readonly record: (db: Queryable, targetId?: string) => Promise<void>;
  readonly exchange: Exchange;
}

interface AnyResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly media?: string;
  readonly content?: string | Buffer | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly stream?: PreparedStream;
  readonly socket?: WebSocketHandler;
  readonly turn?: TurnStart;
  readonly afterCommit?: () => Promise<void>;
}

type Writable = WrittenResponse &
  Pick<AnyResponse, 'headers' | 'stream' | 'socket' | 'turn' | 'afterCommit'> & {
    readonly media?: {
      readonly type: string;
      readonly content: string | Buffer | ReadableStream<Uint8Array>;
    };
  };

function written({ body, media, content, ...rest }: AnyResponse): Writable {
  return {
    ...rest,
    body: body === undefined ? null : JSON.stringify(body),
    ...(media !== undefined && content !== undefined && { media: { type: media, content } }),
  };
}

function respond({ status, body, media, headers = {} }: Writable): Response {
  const content = media?.content ?? body;
  return new Response(content as Uint8Array<ArrayBuffer> | ReadableStream | string | null, {
    status,
    headers: {
      ...DATA_HEADERS,
      ...(content !== null && { 'content-type': media?.type ?? 'application/json' }),
      ...headers,
    },
  });
}
