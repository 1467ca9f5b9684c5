import { notFound, refusedField } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { ResponseCommands } from '../../openai/begin-response.ts';
import { conversationId } from '../../openai/ids.ts';
import { readInput } from '../../openai/input.ts';
import type { ModelNames } from '../../openai/models.ts';
import { itemsOf } from '../../openai/read-response.ts';
import { ConversationRequest, ListQuery, MetadataRequest } from '../../openai/requests.ts';
import { presentMessage } from '../../present/message.ts';
import { readMessages } from '../../store/chat-reads.ts';
import type { Store } from '../../store/store.ts';
import { parseJson } from '../request/json.ts';
import { json, list, type OpenAiCall } from './answer.ts';
import type { CallerChats } from './caller-chats.ts';
import { bodyOf, queryOf } from './request.ts';

/** `/v1/conversations`. A conversation is a chat. */
export class Conversations {
  readonly #store: Store;
  readonly #chats: CallerChats;
  readonly #models: ModelNames;

  constructor(store: Store, chats: CallerChats, models: ModelNames) {
    this.#store = store;
    this.#chats = chats;
    this.#models = models;
  }

  async create(call: OpenAiCall): Promise<Response> {
    const { body } = await bodyOf(call.exchange, ConversationRequest);
    const commands = await ResponseCommands.prepare(this.#store, this.#models, {
      userId: call.caller.user.id,
      metadata: body.metadata,
      stored: true,
      input: readInput(body.items, parseJson),
    });
    return json(presentConversation(await commands.createIdle(undefined)));
  }

  async get(call: OpenAiCall): Promise<Response> {
    return json(presentConversation(await this.#chats.conversation(call)));
  }

  async update(call: OpenAiCall): Promise<Response> {
    const { body } = await bodyOf(call.exchange, MetadataRequest);
    const { id } = await this.#chats.conversation(call);
    const { chat } = await this.#store.client.update(id, { labels: body.metadata });
    return json(presentConversation(chat));
  }

  async delete(call: OpenAiCall): Promise<Response> {
    await this.#chats.delete(call, await this.#chats.conversation(call));
    return json({ id: call.id, object: 'conversation.deleted', deleted: true });
  }

  async listItems(call: OpenAiCall): Promise<Response> {
    const { limit, order, after } = queryOf(call.exchange, ListQuery);
    const { id } = await this.#chats.conversation(call);
    const last = after === undefined ? null : messageIn(after);
    const { messages, hasMore } = await readMessages(this.#store.database, id, {
      afterId: order === 'asc' ? (last ?? 0) : null,
      beforeId: order === 'asc' ? null : last,
      limit,
    });
    const items = messages.flatMap((row) => itemsOf(presentMessage(row)));
    return list(order === 'asc' ? items : items.toReversed(), hasMore);
  }

  async getItem(call: OpenAiCall): Promise<Response> {
    const { id } = await this.#chats.conversation(call);
    const message = messageOf(call.item);
    if (message === undefined) throw notFound();
    const { messages } = await readMessages(this.#store.database, id, {
      afterId: message - 1,
      beforeId: null,
      limit: 1,
    });
    const items = messages.flatMap((row) => itemsOf(presentMessage(row)));
    const found = items.find((item) => (item as { readonly id: string }).id === call.item);
    if (found === undefined) throw notFound();
    return json(found);
  }
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

const presentConversation = ({ id, created_at, labels }: ChatRow): object => ({
  id: conversationId(id),
  object: 'conversation',
  created_at: Math.floor(created_at.getTime() / 1000),
  metadata: labels,
});
