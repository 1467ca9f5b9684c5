import { parseStartCode, startCode, type TurnRef } from '../protocols/turn-ref.ts';

const CHAT = '([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})';
const RESPONSE = new RegExp(`^resp_${CHAT}(.+)$`);
const CONVERSATION = new RegExp(`^conv_${CHAT}$`);

const bare = (chatId: string) => chatId.replaceAll('-', '');

/** The part of the id that the items of the response share. */
export const responseSuffix = ({ chatId, start }: TurnRef): string =>
  `${bare(chatId)}${startCode(start)}`;

export const responseId = (ref: TurnRef): string => `resp_${responseSuffix(ref)}`;

/** Undefined: not an id of this server. */
export function parseResponseId(id: string): TurnRef | undefined {
  const [, ...parts] = RESPONSE.exec(id) ?? [];
  const start = parseStartCode(parts[5] ?? '');
  return start && { chatId: parts.slice(0, 5).join('-'), start };
}

const COMPLETION = 'chatcmpl-';

export const completionId = (ref: TurnRef): string => `${COMPLETION}${responseSuffix(ref)}`;

/** A chat completion is a response in another form. */
export const responseIdOf = (completionId: string): string =>
  completionId.startsWith(COMPLETION) ? `resp_${completionId.slice(COMPLETION.length)}` : '';

export const conversationId = (chatId: string): string => `conv_${bare(chatId)}`;

/** The chat of a conversation. Also accepts the id of a chat with hyphens. Undefined: malformed. */
export function parseConversationId(id: string): string | undefined {
  const found = CONVERSATION.exec(id.replaceAll('-', ''));
  return found?.slice(1, 6).join('-');
}
