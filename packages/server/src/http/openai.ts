import { Labels } from '@chatd/protocol';
import type { z } from 'zod';
import { actorOf, writeAuditEvent } from '../auth/audit.ts';
import type { Caller } from '../auth/caller.ts';
import { notFound, Refused, refusedField } from '../chat/refused.ts';
import type { ChatRow } from '../chat/row.ts';
import { type Begun, ResponseCommands, type Wish } from '../openai/begin-response.ts';
import { CompletionEncoder } from '../openai/completion-encoder.ts';
import { discardChat } from '../openai/discard-chat.ts';
import { UNSTORED } from '../store/queries/chats/purge.ts';
import { errorObject } from '../openai/error-object.ts';
import {
  conversationId,
  parseConversationId,
  parseResponseId,
  responseId,
  responseIdOf,
} from '../openai/ids.ts';
import { itemsOfMessages, readInput } from '../openai/input.ts';
import { findModel, ModelNames, presentModel, usableModels } from '../openai/models.ts';
import {
  findResponse,
  type FoundResponse,
  itemsOf,
  readResponse,
} from '../openai/read-response.ts';
import {
  ChatCompletionRequest,
  ConversationRequest,
  ListQuery,
  MetadataRequest,
  ResponseQuery,
  ResponseRequest,
} from '../openai/requests.ts';
import { OPENAI_ROUTES, type OpenAiRouteName } from '../openai/routes.ts';
import { ResponseEncoder } from '../openai/response-encoder.ts';
import type { ResponseHead } from '../openai/response-object.ts';
import { ResponseTurn } from '../openai/response-turn.ts';
import { presentMessage } from '../present/message.ts';
import type { TurnRef } from '../protocols/turn-ref.ts';
import { encodedStream, followTurn, type TurnEncoder } from '../protocols/turn-stream.ts';
import { readMessages } from '../store/chat-reads.ts';
import { uuidv7 } from '../store/uuid.ts';
import { withinTransaction } from '../store/transaction-scope.ts';
import type { Transaction } from '../store/transaction.ts';
import type { EventFrame } from '../stream/event-frame.ts';
import { holderOf } from '../stream/holders.ts';
import type { PreparedStream, TurnStart } from '../stream/streams.ts';
import type { Exchange } from './exchange.ts';
import type { FaceCall, FaceHandler } from './face-handler.ts';
import { DATA_HEADERS } from './headers.ts';
import { idempotencyKeyOf, once, requestHash } from './idempotency.ts';
import { asProblem } from './problem.ts';
import { mediaTypeOf, readBody } from './request/body.ts';
import { issueMessage } from './request/issue-message.ts';
import { refusalFrom } from './request/issues.ts';
import { parseJson } from './request/json.ts';
import { parseQueryString } from './request/query-string.ts';
import { Streaming } from './serve.ts';
import type { Services } from './services.ts';

/** Requests can contain files. */
const BODY_BYTES = 16 * 1024 * 1024;
const MAX_VALUES = 200_000;
/** A canceled turn stops within this time, or the response says that it is still running. */
const CANCEL_MS = 5000;

/** A function waits for the end of the turn, after the request has left the limits. */
type Answer = Response | Streaming | (() => Promise<Response>);

interface OpenAiCall extends Pick<FaceCall, 'exchange' | 'outgoing'> {
  readonly caller: Caller;
  /** Those in the path. */
  readonly id: string;
  readonly item: string;
}

/** A handler for every route of the table. Each authorizes and limits its requests, and turns errors into the form of OpenAI. */
export function openAiHandlers(services: Services): {
  readonly [Name in OpenAiRouteName]: FaceHandler;
} {
  const face = new OpenAiFace(services);
  const entries = (Object.keys(OPENAI_ROUTES) as OpenAiRouteName[]).map(
    (name): [OpenAiRouteName, FaceHandler] => [name, handler(services, name, face)],
  );
  return Object.fromEntries(entries) as Record<OpenAiRouteName, FaceHandler>;
}

const handler =
  (services: Services, name: OpenAiRouteName, face: OpenAiFace): FaceHandler =>
  async ({ exchange, outgoing, params: { id = '', item = '' } }) => {
    const { scope, costs } = OPENAI_ROUTES[name];
    try {
      const caller = await services.authorizer.authorize(exchange.credentials, scope);
      if (caller === null) throw notFound();
      const leave = await services.limits.admit(costs, { caller, exchange, query: {} });
      let answered: Answer;
      try {
        answered = await face[name]({ caller, exchange, outgoing, id, item });
      } finally {
        leave();
      }
      return typeof answered === 'function' ? await answered() : answered;
    } catch (error) {
      return openAiError(services, exchange, error);
    }
  };

/** Also for paths that do not exist. */
export function openAiError(services: Services, exchange: Exchange, error: unknown): Response {
  const problem = asProblem(error);
  services.metrics.refusal(problem.body.code);
  const { method, path } = exchange;
  if (problem.unexpected) exchange.log.error({ err: error, method, path }, 'request failed');
  const { status, body } = errorObject(problem.body);
  return json(body, status, problem.headers);
}

const json = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...DATA_HEADERS, 'content-type': 'application/json', ...headers },
  });

class OpenAiFace implements Readonly<
  Record<OpenAiRouteName, (call: OpenAiCall) => Promise<Answer>>
> {
  readonly #services: Services;
  readonly #models = new ModelNames();

  constructor(services: Services) {
    this.#services = services;
  }

  async createResponse(call: OpenAiCall): Promise<Answer> {
    const { body, bytes } = await bodyOf(call.exchange, ResponseRequest);
    const { conversation, previous_response_id: previous } = body;
    const stored = body.store !== false;
    const background = body.background === true;
    if (conversation && previous) {
      throw refusedField('previous_response_id', 'cannot be combined with conversation');
    }
    if (!stored && (background || conversation || previous)) {
      throw refusedField('store', 'must be true in a conversation and for background responses');
    }
    const commands = await ResponseCommands.prepare(this.#services.store, this.#models, {
      ...wishOf(call, body, stored),
      input: readInput(body.input, parseJson),
      instructions: body.instructions,
      effort: body.reasoning?.effort ?? undefined,
    });
    const named = typeof conversation === 'object' ? conversation?.id : conversation;
    const perform = async (tx: Transaction | undefined) => {
      if (named) return await commands.continue(await this.#conversation(call, named), tx);
      if (!previous) return await commands.create(tx);
      return await this.#continueAfter(call, commands, previous, tx);
    };
    const head = { previous: previous ?? null, stored };
    return await this.#begin(call, bytes, perform, head, (whole) => {
      const turn = new ResponseTurn(whole);
      const isImmediate = background && body.stream !== true;
      return {
        turn,
        encoder: new ResponseEncoder(turn),
        stream: body.stream === true,
        // The turn of a queued message has not begun.
        ...(isImmediate && { immediate: () => turn.response }),
        whole: () => json(turn.response),
      };
    });
  }

  async createCompletion(call: OpenAiCall): Promise<Answer> {
    const { body, bytes } = await bodyOf(call.exchange, ChatCompletionRequest);
    const stored = body.store === true;
    const commands = await ResponseCommands.prepare(this.#services.store, this.#models, {
      ...wishOf(call, body, stored),
      input: readInput(itemsOfMessages(body.messages), parseJson),
      instructions: undefined,
      effort: body.reasoning_effort ?? undefined,
    });
    const perform = (tx: Transaction | undefined) => commands.create(tx);
    return await this.#begin(call, bytes, perform, { stored }, (whole) => {
      const turn = new ResponseTurn(whole);
      const withUsage = body.stream_options?.include_usage === true;
      const encoder = new CompletionEncoder(whole, turn, withUsage);
      return {
        turn,
        encoder,
        stream: body.stream === true,
        whole: () => wholeCompletion(turn, encoder),
      };
    });
  }

  /** One with `store: true`. It exists when its turn has ended. */
  async getCompletion(call: OpenAiCall): Promise<Answer> {
    const { chat, found } = await this.#find(call, responseIdOf(call.id));
    const { turn } = await readResponse(this.#services.store.database, chat, found);
    if (!turn.over) throw notFound();
    return wholeCompletion(turn, new CompletionEncoder(found.head, turn));
  }

  async deleteCompletion(call: OpenAiCall): Promise<Answer> {
    const { chat, found } = await this.#find(call, responseIdOf(call.id));
    const { isFollowed } = await readResponse(this.#services.store.database, chat, found);
    if (isFollowed) throw partOfConversation(chat);
    await this.#deleteChat(call, chat);
    return json({ id: call.id, object: 'chat.completion.deleted', deleted: true });
  }

  async getResponse(call: OpenAiCall): Promise<Answer> {
    const query = queryOf(call.exchange, ResponseQuery);
    const { chat, found } = await this.#find(call);
    if (query.stream !== 'true') {
      if (query.starting_after !== undefined) {
        throw refusedField('starting_after', 'requires stream=true', 'invalid_query');
      }
      const { turn } = await readResponse(this.#services.store.database, chat, found);
      return json(turn.response);
    }
    const encoder = new ResponseEncoder(new ResponseTurn(found.head, query.starting_after));
    return new Streaming(encodedStream(await this.#join(call, chat, found.after), encoder));
  }

  /** Interrupts the turn. A response that has ended stays as it is. */
  async cancelResponse(call: OpenAiCall): Promise<Answer> {
    const { store } = this.#services;
    const { chat, found } = await this.#find(call);
    const { turn } = await readResponse(store.database, chat, found);
    if (turn.over) return json(turn.response);
    const { start } = found.head.ref;
    const current = new ResponseTurn(found.head);
    const joining = await this.#join(call, chat, found.after);
    try {
      await (start.kind === 'queued' && found.isQueued
        ? store.client.deleteQueued(chat.id, start.id)
        : store.client.interrupt(chat.id));
    } catch (error) {
      // The turn has ended meanwhile.
      if (!(error instanceof Refused)) {
        joining.cancel();
        throw error;
      }
    }
    await followTurn(joining, takenBy(current), (leave) => setTimeout(leave, CANCEL_MS).unref());
    return json(current.response);
  }

  /** Only the sole response of a chat can be deleted, with the chat. */
  async deleteResponse(call: OpenAiCall): Promise<Answer> {
    const { store } = this.#services;
    const { chat, found } = await this.#find(call);
    const { isFollowed } = await readResponse(store.database, chat, found);
    const { messages } = await readMessages(store.database, chat.id, {
      afterId: null,
      beforeId: found.after + 1,
      limit: 1,
    });
    if (isFollowed || messages.length > 0) throw partOfConversation(chat);
    await this.#deleteChat(call, chat);
    return json({ id: call.id, object: 'response', deleted: true });
  }

  async listInputItems(call: OpenAiCall): Promise<Answer> {
    const { limit, order, after } = queryOf(call.exchange, ListQuery);
    const { chat, found } = await this.#find(call);
    const { kind } = found.head.ref.start;
    const { messages } = await readMessages(this.#services.store.database, chat.id, {
      afterId: found.after,
      beforeId: null,
      limit: kind === 'calls' ? 2 : 1,
    });
    const items = messages
      .slice(kind === 'calls' ? 1 : 0)
      .flatMap((row) => itemsOf(presentMessage(row)));
    const sorted = order === 'asc' ? items : items.toReversed();
    const from = sorted.findIndex((item) => (item as { readonly id: string }).id === after) + 1;
    return listOf(sorted.slice(from, from + limit), sorted.length > from + limit);
  }

  async createConversation(call: OpenAiCall): Promise<Answer> {
    const { body } = await bodyOf(call.exchange, ConversationRequest);
    const commands = await ResponseCommands.prepare(this.#services.store, this.#models, {
      ...wishOf(call, { metadata: body.metadata }, true),
      input: readInput(body.items, parseJson),
      instructions: undefined,
      effort: undefined,
    });
    return json(presentConversation(await commands.createIdle(undefined)));
  }

  async getConversation(call: OpenAiCall): Promise<Answer> {
    return json(presentConversation(await this.#conversation(call, call.id)));
  }

  async updateConversation(call: OpenAiCall): Promise<Answer> {
    const { body } = await bodyOf(call.exchange, MetadataRequest);
    const { id } = await this.#conversation(call, call.id);
    const { chat } = await this.#services.store.client.update(id, { labels: body.metadata });
    return json(presentConversation(chat));
  }

  async deleteConversation(call: OpenAiCall): Promise<Answer> {
    await this.#deleteChat(call, await this.#conversation(call, call.id));
    return json({ id: call.id, object: 'conversation.deleted', deleted: true });
  }

  async listItems(call: OpenAiCall): Promise<Answer> {
    const { limit, order, after } = queryOf(call.exchange, ListQuery);
    const { id } = await this.#conversation(call, call.id);
    const last = after === undefined ? null : messageIn(after);
    const { messages, hasMore } = await readMessages(this.#services.store.database, id, {
      afterId: order === 'asc' ? (last ?? 0) : null,
      beforeId: order === 'asc' ? null : last,
      limit,
    });
    const items = messages.flatMap((row) => itemsOf(presentMessage(row)));
    return listOf(order === 'asc' ? items : items.toReversed(), hasMore);
  }

  async getItem(call: OpenAiCall): Promise<Answer> {
    const { id } = await this.#conversation(call, call.id);
    const message = messageOf(call.item);
    if (message === undefined) throw notFound();
    const { messages } = await readMessages(this.#services.store.database, id, {
      afterId: message - 1,
      beforeId: null,
      limit: 1,
    });
    const items = messages.flatMap((row) => itemsOf(presentMessage(row)));
    const found = items.find((item) => (item as { readonly id: string }).id === call.item);
    if (found === undefined) throw notFound();
    return json(found);
  }

  async listModels({ caller }: OpenAiCall): Promise<Answer> {
    const models = await usableModels(this.#services.store.database, caller.user.id);
    return json({ object: 'list', data: models.map(presentModel) });
  }

  async getModel({ caller, id }: OpenAiCall): Promise<Answer> {
    const { database } = this.#services.store;
    return json(presentModel(await findModel(database, caller.user.id, id)));
  }

  /** The chat, if it belongs to the caller. Refuses guests. */
  async #chat({ caller }: OpenAiCall, chatId: string): Promise<ChatRow> {
    const { chat } = await this.#services.authorizer.find(caller, { chat_id: chatId }, {});
    if (chat === undefined) throw notFound();
    return chat;
  }

  async #conversation(call: OpenAiCall, id: string): Promise<ChatRow> {
    const chatId = parseConversationId(id);
    if (chatId === undefined) throw notFound();
    return await this.#chat(call, chatId);
  }

  async #find(call: OpenAiCall, id = call.id): Promise<{ chat: ChatRow; found: FoundResponse }> {
    const ref = parseResponseId(id);
    if (ref === undefined) throw notFound();
    const chat = await this.#chat(call, ref.chatId);
    return { chat, found: await findResponse(this.#services.store.database, chat, ref.start) };
  }

  async #deleteChat({ caller, exchange }: OpenAiCall, { id }: ChatRow): Promise<void> {
    const { store } = this.#services;
    await store.database.transaction(async (tx) => {
      await store.client.delete(id, tx);
      const event = { action: 'chat.delete', targetId: id } as const;
      await writeAuditEvent(tx, actorOf(caller, exchange.address), event);
    });
  }

  /** A response that is not the last of its chat is continued in a copy of the chat. */
  async #continueAfter(
    call: OpenAiCall,
    commands: ResponseCommands,
    previous: string,
    tx: Transaction | undefined,
  ): Promise<Begun> {
    const { store } = this.#services;
    const { chat, found } = await this.#find(call, previous);
    if (chat.labels[UNSTORED.name] === UNSTORED.value) throw notFound();
    const { last, isFollowed } = await readResponse(store.database, chat, found);
    if (!isFollowed) return await commands.continue(chat, tx);
    return await withinTransaction(store.database, tx, async (tx) => {
      const model = await commands.requestedModel(tx);
      const copy = {
        id: uuidv7(),
        owner_id: call.caller.user.id,
        ...(model && { model_config_id: model.config.id }),
      };
      return await commands.continue(await store.creation.fork(chat, last, copy, tx), tx);
    });
  }

  async #join({ caller }: OpenAiCall, chat: ChatRow, after: number): Promise<PreparedStream> {
    const from = after < 1 ? {} : { afterMessage: after };
    return await this.#services.streams.join(chat, from, holderOf(caller));
  }

  /** Performs the request once, and responds with its stream or its end. Limits of streams come first. */
  async #begin(
    call: OpenAiCall,
    bytes: Buffer,
    perform: (tx: Transaction | undefined) => Promise<Begun>,
    more: Pick<ResponseHead, 'previous' | 'stored'>,
    encode: (head: ResponseHead) => Encoding,
  ): Promise<Answer> {
    const { store, streams } = this.#services;
    const reservation = await streams.reserve(holderOf(call.caller));
    try {
      const { head, turn } = await this.#once(call, bytes, perform);
      const { turn: response, encoder, stream, immediate, whole } = encode({ ...head, ...more });
      if (immediate !== undefined) {
        reservation.cancel();
        return json(immediate());
      }
      const following = reservation.followTurn(turn, 'null');
      const discard = () => {
        // A repeated request follows the same chat. Housekeeping deletes it.
        if (more.stored !== false || idempotencyKeyOf(call.exchange) !== undefined) return;
        discardChat(store, head.ref.chatId).catch((error: unknown) =>
          call.exchange.log.warn({ err: error }, 'cannot discard an unstored chat'),
        );
      };
      if (stream) return new Streaming(encodedStream(following, encoder, discard));
      return async () => {
        await followTurn(following, takenBy(response), (leave) => {
          if (call.exchange.isGone) leave();
          else call.outgoing.once('close', leave);
        });
        discard();
        if (response.over) return whole();
        if (more.stored === false) {
          throw new Refused('unavailable', 'The server is stopping. Try again.');
        }
        // A repetition would start a second turn.
        const message = `The server is stopping. ${RETRIEVE} ${responseId(head.ref)}.`;
        const error = { message, type: 'server_error', param: null, code: 'unavailable' };
        return json({ error }, 503, { 'x-should-retry': 'false' });
      };
    } catch (error) {
      reservation.cancel();
      throw error;
    }
  }

  /** A repeated request with an Idempotency-Key follows the response of the first one. */
  async #once(
    call: OpenAiCall,
    bytes: Buffer,
    perform: (tx: Transaction | undefined) => Promise<Begun>,
  ): Promise<{ head: ResponseHead; turn: TurnStart }> {
    const key = idempotencyKeyOf(call.exchange);
    if (key === undefined) return started(await perform(undefined));
    const asked = { userId: call.caller.user.id, key, hash: requestHash(call.exchange, bytes) };
    const outcome = await once(this.#services.store.database, asked, async (tx) => {
      const begun = await perform(tx);
      return { status: 200, body: responseId(refOf(begun)), begun };
    });
    if ('first' in outcome) return started(outcome.first.begun);
    const { chat, found } = await this.#find(call, outcome.kept.body ?? '');
    return { head: found.head, turn: { chat, after: found.after } };
  }
}

function wholeCompletion(
  { outcome: { error } }: ResponseTurn,
  encoder: CompletionEncoder,
): Response {
  if (error === undefined) return json(encoder.completion);
  // Clients would repeat the whole turn.
  const headers = { 'x-should-retry': 'false' };
  return json({ error: { ...error, type: 'server_error', param: null } }, 502, headers);
}

const partOfConversation = ({ id }: ChatRow) =>
  new Refused(
    'invalid_request',
    `This response belongs to a conversation. Delete ${conversationId(id)} instead.`,
  );

const RETRIEVE = 'The turn continues on another replica: retrieve the response';

/** How a request is answered. */
interface Encoding {
  readonly turn: ResponseTurn;
  readonly encoder: TurnEncoder;
  readonly stream: boolean;
  /** Responds without waiting for the turn. */
  readonly immediate?: () => object;
  /** The response after the turn. */
  readonly whole: () => Response;
}

/** Reads a stream into the response, to its end. */
function takenBy(turn: ResponseTurn): (frame: EventFrame) => boolean {
  turn.start();
  return ({ payloads }) => {
    for (const event of payloads) turn.take(event);
    return turn.over;
  };
}

const refOf = ({ chat, start }: Begun): TurnRef => ({ chatId: chat.id, start });

const started = (begun: Begun): { head: ResponseHead; turn: TurnStart } => {
  const { chat, createdAt, model, turn } = begun;
  return { head: { ref: refOf(begun), createdAt, model, chat }, turn };
};

function wishOf(
  { caller }: OpenAiCall,
  { model, tools, metadata }: Pick<Partial<ResponseRequest>, 'model' | 'tools' | 'metadata'>,
  stored: boolean,
): Omit<Wish, 'input' | 'instructions' | 'effort'> {
  const labels = metadata ? Labels.safeParse(metadata) : undefined;
  if (labels?.success === false) {
    throw refusedField('metadata', labels.error.issues[0]?.message ?? 'is not valid');
  }
  return { userId: caller.user.id, model, tools, metadata, stored };
}

async function bodyOf<Schema extends z.ZodType>(
  { incoming }: Exchange,
  schema: Schema,
): Promise<{ body: z.output<Schema>; bytes: Buffer }> {
  if (mediaTypeOf(incoming) !== 'application/json') {
    throw new Refused('unsupported_media_type', 'Send Content-Type: application/json.');
  }
  const bytes = await readBody(incoming, BODY_BYTES);
  const value = parseJson(bytes);
  // A value takes at least two bytes.
  if (bytes.length > MAX_VALUES && hasMoreValues(value, MAX_VALUES)) {
    throw new Refused('invalid_body', `The body has more than ${MAX_VALUES} values.`);
  }
  const parsed = schema.safeParse(value, { error: issueMessage });
  if (!parsed.success) throw refusalFrom('body', parsed.error.issues);
  return { body: parsed.data, bytes };
}

/** Each value can cost an error message. `parseJson` limits the depth. */
function hasMoreValues(value: unknown, most: number): boolean {
  let left = most;
  const exceeds = (one: unknown): boolean => {
    left -= 1;
    return (
      left < 0 || (typeof one === 'object' && one !== null && Object.values(one).some(exceeds))
    );
  };
  return exceeds(value);
}

function queryOf<Schema extends z.ZodType>({ search }: Exchange, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(parseQueryString(search), { error: issueMessage });
  if (!parsed.success) throw refusalFrom('query', parsed.error.issues);
  return parsed.data;
}

/** The message of a listed item. Undefined: malformed. */
function messageOf(item: string): number | undefined {
  const [, id] = /^[a-z]+_([1-9][0-9]{0,15})(?:_|$)/.exec(item) ?? [];
  return id === undefined ? undefined : Number(id);
}

function messageIn(item: string): number {
  const id = messageOf(item);
  if (id === undefined) throw refusedField('after', 'is not the ID of an item', 'invalid_cursor');
  return id;
}

const listOf = (data: readonly object[], has_more: boolean): Response => {
  const ids = data.map((item) => (item as { readonly id: string }).id);
  const ends = { first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
  return json({ object: 'list', data, ...ends, has_more });
};

const presentConversation = ({ id, created_at, labels }: ChatRow): object => ({
  id: conversationId(id),
  object: 'conversation',
  created_at: Math.floor(created_at.getTime() / 1000),
  metadata: labels,
});
