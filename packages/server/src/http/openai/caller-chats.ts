import { actorOf, writeAuditEvent } from '../../auth/audit.ts';
import { notFound } from '../../chat/refused.ts';
import type { ChatRow } from '../../chat/row.ts';
import { parseConversationId, parseResponseId } from '../../openai/ids.ts';
import { findResponse, type FoundResponse } from '../../openai/read-response.ts';
import type { Services } from '../services.ts';
import type { OpenAiCall } from './answer.ts';

/** Conversations and responses by their ids, as chats of the caller. Guests of a chat are refused. */
export class CallerChats {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async conversation(call: OpenAiCall, id = call.id): Promise<ChatRow> {
    const chatId = parseConversationId(id);
    if (chatId === undefined) throw notFound();
    return await this.#chat(call, chatId);
  }

  async response(
    call: OpenAiCall,
    id = call.id,
  ): Promise<{ readonly chat: ChatRow; readonly found: FoundResponse }> {
    const ref = parseResponseId(id);
    if (ref === undefined) throw notFound();
    const chat = await this.#chat(call, ref.chatId);
    return { chat, found: await findResponse(this.#services.store.database, chat, ref.start) };
  }

  async delete({ caller, exchange }: OpenAiCall, { id }: ChatRow): Promise<void> {
    const { store } = this.#services;
    await store.database.transaction(async (tx) => {
      await store.client.delete(id, tx);
      const event = { action: 'chat.delete', targetId: id } as const;
      await writeAuditEvent(tx, actorOf(caller, exchange.address), event);
    });
  }

  async #chat({ caller }: OpenAiCall, chatId: string): Promise<ChatRow> {
    const { chat } = await this.#services.authorizer.find(caller, { chat_id: chatId }, {});
    if (chat === undefined) throw notFound();
    return chat;
  }
}
