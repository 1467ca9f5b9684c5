import { requireRole } from '../../auth/authorize.ts';
import type { ChatRow } from '../../chat/row.ts';
import { guestOf, type Holder, holderOf } from '../../stream/holders.ts';
import { invalidCursor } from '../../stream/streams.ts';
import { findTurn } from '../../ui-stream/find-turn.ts';
import { decodeTurnCursor, type TurnCursor } from '../../ui-stream/turn-cursor.ts';
import { UiRequestHandler, type Received } from '../../ui-stream/ui-request-handler.ts';
import { asUiStream } from '../../ui-stream/ui-outlet.ts';
import { UiTurn } from '../../ui-stream/ui-turn.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

/** The agent works in these states. */
const ACTIVE = new Set<ChatRow['status']>(['running', 'interrupting']);

export const uiStreamHandlers = (services: Services): HandlersOf<'UI stream'> => ({
  async streamUi({ found, query, caller, db, exchange }) {
    const { chat } = found;
    const { follow_tools = false } = query;
    const after = exchange.header('last-event-id') || query.after;
    const given = after === undefined ? undefined : decodeTurnCursor(after);
    if (after !== undefined && given === undefined) throw invalidCursor();
    const waitsForOthers = follow_tools && chat.status === 'requires_action';
    if (given === undefined && !ACTIVE.has(chat.status) && !waitsForOthers) {
      return { status: 204 };
    }
    const place = given ?? (await newestTurn(db, chat));
    if (place === undefined) return { status: 204 };
    const begins = { message: place.turn };
    const holder = holderOf(caller, { guest: guestOf(chat) });
    const received = { chat, begins, steps: place.steps, after: place.turn - 1 };
    return { status: 200, stream: await follow(services, holder, received, follow_tools) };
  },

  async sendUiMessages({ found, query, body, caller }) {
    const holder = holderOf(caller, { guest: guestOf(found.chat) });
    if (body.model_config_id !== undefined || body.reasoning_effort !== undefined) {
      requireRole(found.chat, 'owner', "chat's model");
    }
    const handler = new UiRequestHandler(services.store, caller.user);
    const received = await handler.receive(found.chat, body);
    const { follow_tools = false } = query;
    return { status: 200, stream: await follow(services, holder, received, follow_tools) };
  },
});

async function newestTurn(
  db: Parameters<typeof findTurn>[0],
  chat: ChatRow,
): Promise<TurnCursor | undefined> {
  const message = await findTurn(db, chat.id);
  return message && { turn: message.id, steps: 0 };
}

async function follow(
  { streams }: Services,
  holder: Holder,
  { chat, begins, steps, after }: Received,
  followTools: boolean,
) {
  const known = new Set(chat.dynamic_tools.map(({ name }) => name));
  const isKnown = (toolName: string) => known.has(toolName);
  const turn = new UiTurn({ chatId: chat.id, begins, steps, isKnown, followTools });
  // Messages before the turn are not part of it.
  const from = after < 1 ? {} : { afterMessage: after };
  return asUiStream(await streams.join(chat, from, holder), turn);
}
