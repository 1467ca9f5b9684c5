import { ChatStatus } from '@chatd/protocol';
import type { LiveTag } from './live/part-buffer.ts';

/** What a client has seen of a chat. Clients that have seen the same have equal cursors. */
export interface StreamCursor {
  /** The snapshot version. A cursor ahead of the chat is invalid. */
  readonly version: number;
  /** The version of the last edit, which invalidates what was seen before it. */
  readonly reset: number;
  /** The newest message. Until the next edit, messages are only appended. */
  readonly message: number;
  readonly queue: number;
  readonly retry: number;
  readonly status: ChatStatus | null;
  /** Identifies the error or the required action of that status. 0: none. */
  readonly detail: number;
  readonly live: (LiveTag & { readonly seq: number }) | null;
}

export const START: StreamCursor = {
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

/** Opaque to clients: numbers in base 36. The end of the chat's id rejects cursors of other chats. */
export function encodeStreamCursor(chatId: string, position: StreamCursor): string {
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

/** Undefined: not a cursor of this chat. */
export function decodeStreamCursor(chatId: string, cursor: string): StreamCursor | undefined {
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
