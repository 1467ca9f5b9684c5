/** Where a turn, or the part of it that a client follows, begins in the history of its chat. */
export type StartPoint =
  /** With this user message. */
  | { readonly kind: 'message'; readonly id: number }
  /** With the user message that had this id in the queue. */
  | { readonly kind: 'queued'; readonly id: number }
  /** With the results for this assistant message, whose calls the client answers. */
  | { readonly kind: 'calls'; readonly id: number };

export interface TurnRef {
  readonly chatId: string;
  readonly start: StartPoint;
}

const LETTERS = { message: 'm', queued: 'q', calls: 'c' } as const;
const KINDS = { m: 'message', q: 'queued', c: 'calls' } as const;
const CODE = /^([mqc])([1-9][0-9]{0,15})$/;

/** For ids of turns, which name their start: nothing is stored for them. */
export const startCode = ({ kind, id }: StartPoint): string => `${LETTERS[kind]}${id}`;

/** Undefined: malformed. */
export function parseStartCode(code: string): StartPoint | undefined {
  const [, letter, id] = CODE.exec(code) ?? [];
  if (letter === undefined) return undefined;
  return { kind: KINDS[letter as keyof typeof KINDS], id: Number(id) };
}

/** The start of the turn that a message began, sent or queued. */
export const startOf = (message: {
  readonly id: number;
  readonly queued_message_id?: number | undefined;
}): StartPoint =>
  message.queued_message_id === undefined
    ? { kind: 'message', id: message.id }
    : { kind: 'queued', id: message.queued_message_id };
