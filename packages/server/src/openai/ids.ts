/** Where a response begins in the history of its chat. */
export type ResponseStart =
  /** After this user message. */
  | { readonly kind: 'message'; readonly id: number }
  /** After the user message that had this id in the queue. */
  | { readonly kind: 'queued'; readonly id: number }
  /** After this assistant message, whose calls the request answers. */
  | { readonly kind: 'calls'; readonly id: number };

export interface ResponseRef {
  readonly chatId: string;
  readonly start: ResponseStart;
}

const LETTERS = { message: 'm', queued: 'q', calls: 'c' } as const;
const KINDS = { m: 'message', q: 'queued', c: 'calls' } as const;

const CHAT = '([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})';
const RESPONSE = new RegExp(`^resp_${CHAT}([mqc])([1-9][0-9]{0,15})$`);
const CONVERSATION = new RegExp(`^conv_${CHAT}$`);

const bare = (chatId: string) => chatId.replaceAll('-', '');

/** The part of the id that the items of the response share. */
export const responseSuffix = ({ chatId, start }: ResponseRef): string =>
  `${bare(chatId)}${LETTERS[start.kind]}${start.id}`;

export const responseId = (ref: ResponseRef): string => `resp_${responseSuffix(ref)}`;

/** Undefined: not an id of this server. */
export function parseResponseId(id: string): ResponseRef | undefined {
  const found = RESPONSE.exec(id);
  const [kind, number] = [found?.[6], found?.[7]];
  if (found === null || kind === undefined || number === undefined) return undefined;
  return {
    chatId: found.slice(1, 6).join('-'),
    start: { kind: KINDS[kind as keyof typeof KINDS], id: Number(number) },
  };
}

const COMPLETION = 'chatcmpl-';

export const completionId = (ref: ResponseRef): string => `${COMPLETION}${responseSuffix(ref)}`;

/** A chat completion is a response in another form. */
export const responseIdOf = (completionId: string): string =>
  completionId.startsWith(COMPLETION) ? `resp_${completionId.slice(COMPLETION.length)}` : '';

export const conversationId = (chatId: string): string => `conv_${bare(chatId)}`;

/** The chat of a conversation. Also accepts the id of a chat with hyphens. Undefined: malformed. */
export function parseConversationId(id: string): string | undefined {
  const found = CONVERSATION.exec(id.replaceAll('-', ''));
  return found?.slice(1, 6).join('-');
}
