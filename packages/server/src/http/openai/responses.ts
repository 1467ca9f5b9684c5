import { notFound, Refused, refusedField } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { type Begun, ResponseCommands } from '../../openai/begin-response.ts';
import { CompletionEncoder } from '../../openai/completion-encoder.ts';
import { discardChat } from '../../openai/discard-chat.ts';
import { conversationId, responseId, responseIdOf } from '../../openai/ids.ts';
import { itemsOfMessages, readInput } from '../../openai/input.ts';
import type { ModelNames } from '../../openai/models.ts';
import { itemsOf, readResponse } from '../../openai/read-response.ts';
import {
  ChatCompletionRequest,
  ListQuery,
  ResponseQuery,
  ResponseRequest,
} from '../../openai/requests.ts';
import { ResponseEncoder } from '../../openai/response-encoder.ts';
import type { ResponseHead } from '../../openai/response-object.ts';
import { ResponseTurn } from '../../openai/response-turn.ts';
import { presentMessage } from '../../present/message.ts';
import type { TurnRef } from '../../protocols/turn-ref.ts';
import { encodedStream, followTurn, type TurnEncoder } from '../../protocols/turn-stream.ts';
import { readMessages } from '../../store/chat-reads.ts';
import { UNSTORED } from '../../store/queries/chats/purge.ts';
import { withinTransaction } from '../../store/transaction-scope.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { EventFrame } from '../../stream/event-frame.ts';
import { holderOf } from '../../stream/holders.ts';
import type { PreparedStream, TurnStart } from '../../stream/streams.ts';
import { idempotencyKeyOf, once, requestHash } from '../idempotency.ts';
import { parseJson } from '../request/json.ts';
import { Streaming } from '../serve.ts';
import type { Services } from '../services.ts';
import { type Answer, json, list, type OpenAiCall } from './answer.ts';
import type { CallerChats } from './caller-chats.ts';
import { bodyOf, queryOf } from './request.ts';

/** A canceled turn stops within this time, or the response says that it is still running. */
const CANCEL_MS = 5000;

/** `/v1/responses` and `/v1/chat/completions`. A response is a turn of a chat. */
export class Responses {
  readonly #services: Services;
  readonly #chats: CallerChats;
  readonly #models: ModelNames;

  constructor(services: Services, chats: CallerChats, models: ModelNames) {
    this.#services = services;
    this.#chats = chats;
    this.#models = models;
  }

  async create(call: OpenAiCall): Promise<Answer> {
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
      userId: call.caller.user.id,
      model: body.model,
      tools: body.tools,
      metadata: body.metadata,
      stored,
      input: readInput(body.input, parseJson),
      instructions: body.instructions,
      effort: body.reasoning?.effort ?? undefined,
    });
    const named = typeof conversation === 'object' ? conversation?.id : conversation;
    const perform = async (tx: Transaction | undefined) => {
      if (named) return await commands.continue(await this.#chats.conversation(call, named), tx);
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
      userId: call.caller.user.id,
      model: body.model,
      tools: body.tools,
      metadata: body.metadata,
      stored,
      input: readInput(itemsOfMessages(body.messages), parseJson),
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
    const { chat, found } = await this.#chats.response(call, responseIdOf(call.id));
    const { turn } = await readResponse(this.#services.store.database, chat, found);
    if (!turn.over) throw notFound();
    return wholeCompletion(turn, new CompletionEncoder(found.head, turn));
  }

  async deleteCompletion(call: OpenAiCall): Promise<Answer> {
    const { chat, found } = await this.#chats.response(call, responseIdOf(call.id));
    const { isFollowed } = await readResponse(this.#services.store.database, chat, found);
    if (isFollowed) throw partOfConversation(chat);
    await this.#chats.delete(call, chat);
    return json({ id: call.id, object: 'chat.completion.deleted', deleted: true });
  }

  async get(call: OpenAiCall): Promise<Answer> {
    const query = queryOf(call.exchange, ResponseQuery);
    const { chat, found } = await this.#chats.response(call);
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
  async cancel(call: OpenAiCall): Promise<Answer> {
    const { store } = this.#services;
    const { chat, found } = await this.#chats.response(call);
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
  async delete(call: OpenAiCall): Promise<Answer> {
    const { store } = this.#services;
    const { chat, found } = await this.#chats.response(call);
    const { isFollowed } = await readResponse(store.database, chat, found);
    const { messages } = await readMessages(store.database, chat.id, {
      afterId: null,
      beforeId: found.after + 1,
      limit: 1,
    });
    if (isFollowed || messages.length > 0) throw partOfConversation(chat);
    await this.#chats.delete(call, chat);
    return json({ id: call.id, object: 'response', deleted: true });
  }

  async listInputItems(call: OpenAiCall): Promise<Answer> {
    const { limit, order, after } = queryOf(call.exchange, ListQuery);
    const { chat, found } = await this.#chats.response(call);
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
    return list(sorted.slice(from, from + limit), sorted.length > from + limit);
  }

  /** A response that is not the last of its chat is continued in a copy of the chat. */
  async #continueAfter(
    call: OpenAiCall,
    commands: ResponseCommands,
    previous: string,
    tx: Transaction | undefined,
  ): Promise<Begun> {
    const { store } = this.#services;
    const { chat, found } = await this.#chats.response(call, previous);
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
    const { chat, found } = await this.#chats.response(call, outcome.kept.body ?? '');
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
