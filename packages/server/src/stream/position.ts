import { ChatStatus } from '@chatd/protocol';
import type { LiveTag } from './part-buffer.ts';

/** What a client has seen of a chat. Two clients that have seen the same are in the same position, to the letter. */
export interface Position {
  /** The snapshot version: a cursor that is ahead of the chat is recognised by it. */
  readonly version: number;
  /** The last edit. What was seen before it is void. */
  readonly reset: number;
  /** The newest message: they only ever come after it, until the next edit. */
  readonly message: number;
  readonly queue: number;
  readonly retry: number;
  readonly status: ChatStatus | null;
  /** Which error, or which request to act, was told with that status; 0 when there is none. */
  readonly detail: number;
  readonly live: (LiveTag & { readonly seq: number }) | null;
}

/** Nothing seen yet. */
export const START: Position = {
  version: 0,
  reset: 0,
  message: 0,
  queue: -1,
  retry: 0,
  status: null,
  detail: 0,
  live: null,
};

const STATUSES = ChatStatus.options;
const FORM =
  /^1\.([0-9a-f]{8})((?:\.[0-9a-z]{1,11}){7})(?:((?:\.[0-9a-z]{1,11}){3})\.([0-9a-f]{1,32}))?$/;

/** Opaque to clients: the numbers of a position, base 36. The end of the chat's id keeps those of others out. */
export function encodePosition(chatId: string, position: Position): string {
  const { version, reset, message, queue, retry, status, detail, live } = position;
  const committed = [
    version,
    reset,
    message,
    queue + 1,
    retry,
    status === null ? 0 : STATUSES.indexOf(status) + 1,
    detail,
  ];
  const text = `1.${chatId.slice(-8)}.${base36(committed)}`;
  if (live === null) return text;
  return `${text}.${base36([live.history_version, live.attempt, live.seq])}.${live.tag}`;
}

const base36 = (numbers: readonly number[]) =>
  numbers.map((number) => number.toString(36)).join('.');

/** Undefined when it is no cursor of this chat. */
export function decodePosition(chatId: string, cursor: string): Position | undefined {
  const [, chat, committed, live, tag] = FORM.exec(cursor) ?? [];
  if (committed === undefined || chat !== chatId.slice(-8)) return undefined;
  const [version = 0, reset = 0, message = 0, queue = 0, retry = 0, status = 0, detail = 0] =
    numbersIn(committed);
  const [history_version = 0, attempt = 0, seq = 0] = numbersIn(live ?? '');
  const all = [version, reset, message, queue, retry, detail, history_version, attempt, seq];
  if (!all.every(Number.isSafeInteger) || status > STATUSES.length) return undefined;
  return {
    version,
    reset,
    message,
    queue: queue - 1,
    retry,
    status: STATUSES[status - 1] ?? null,
    detail,
    live: tag === undefined ? null : { history_version, attempt, tag, seq },
  };
}

const numbersIn = (text: string) =>
  text
    .split('.')
    .slice(1)
    .map((digits) => Number.parseInt(digits, 36));
