import type { z } from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Scope } from './scope.ts';
import type { ChatRole } from './sharing.ts';

/** A body that is not JSON. */
export interface Media {
  readonly media: readonly string[];
}

export const media = (...types: string[]): Media => ({ media: types });

/** A streaming response: `text/event-stream`, or a WebSocket if the client requests an upgrade. */
export interface EventStream {
  readonly events: z.ZodType;
}

export const events = <T extends z.ZodType>(type: T): { readonly events: T } => ({ events: type });

/** A WebSocket. The text documents its messages and names the schemas of JSON messages. */
export interface TwoWay {
  readonly socket: string;
}

export const twoWay = (socket: string): TwoWay => ({ socket });

/**
 * One operation of the API. The server binds its handlers to the table of routes; the OpenAPI document and the typed
 * calls of the client are derived from it.
 */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, with parameters as `{chat_id}`. */
  readonly path: `/${string}`;
  readonly tag: string;
  /** A heading without a period. */
  readonly summary: string;
  /** Effects, limits and use. Sentences in Markdown. */
  readonly description: string;
  /** All scopes that a token needs. Null: no authentication. */
  readonly scope: RequiredScope;
  /** Also requires this role. Admins with the scope `admin` have it, too. Default: any role. */
  readonly role?: 'auditor';
  /** Its chat or token may belong to any user, if the caller is an admin with the scope `admin`. */
  readonly anyOwner?: true;
  /**
   * The least role that a caller needs in the chat, or in a chat that uses the workspace or file. Default: only the owner
   * of what the path names.
   */
  readonly access?: ChatRole;
  /** The link of a chat also gives access. Only with the role `viewer`. */
  readonly link?: true;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | Media;
  /** Max body size, if it differs from the default. */
  readonly bodyBytes?: number;
  /** By HTTP status. Null: no body. */
  readonly answers: Readonly<Record<number, z.ZodType | Media | EventStream | TwoWay | null>>;
  /** With `Accept: text/event-stream`, the JSON is the first event of a stream of the turn, with the same status. */
  readonly streamed?: true;
  /** With `Accept: text/csv`, the response is a table. */
  readonly csv?: true;
  /** Problem codes in addition to those of every operation. Default: none. */
  readonly refusals?: readonly ProblemCode[];
  /** Recorded in the audit log: a change in its own transaction, a read before its response. Default: not recorded. */
  readonly audit?: AuditedAction;
  /**
   * Nothing of it is stored and `Idempotency-Key` is ignored: the request or the response contains a secret, or repeating
   * the request changes nothing.
   */
  readonly secret?: true;
}

export interface AuditedAction {
  /** `TARGET.VERB`. The target is the object with the path parameter `TARGET_id`, or the object in the response. */
  readonly action: `${string}.${string}`;
  /** Recorded only if this query parameter is true. Default: always. */
  readonly onlyWith?: string;
  /** Text fields of the body that are recorded with their values. Numbers and booleans always are; of other fields, only the names. */
  readonly values?: readonly string[];
  /** The handler writes the event, because its work takes more than one transaction. Default: false. */
  readonly byHandler?: true;
}

export type RequiredScope = Scope | readonly Scope[] | null;

export const scopesOf = (scope: RequiredScope): readonly Scope[] =>
  scope === null ? [] : typeof scope === 'string' ? [scope] : scope;

/** Returns a function that defines routes with this tag. */
export const routeWith =
  <const Tag extends string>(tag: Tag) =>
  <const R extends Omit<Route, 'tag'>>(definition: R): R & { readonly tag: Tag } => ({
    ...definition,
    tag,
  });

type Shape = z.ZodType | Media | EventStream | TwoWay | null | undefined;

export const isMedia = (answer: Shape): answer is Media =>
  answer !== null && answer !== undefined && 'media' in answer;

export const isEventStream = (answer: Shape): answer is EventStream =>
  answer !== null && answer !== undefined && 'events' in answer;

export const isTwoWay = (answer: Shape): answer is TwoWay =>
  answer !== null && answer !== undefined && 'socket' in answer;
