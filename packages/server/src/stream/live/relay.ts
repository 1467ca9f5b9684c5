import type { Json, Part, Role } from '@chatd/protocol';
import type { LiveEntry, LiveTag } from './part-buffer.ts';

/*
 * The messages between replicas about live parts. A replica with viewers sends requests to the owner of a chat, and
 * repeats them while it has viewers. The owner sends the parts that the replica does not have, and new ones.
 */

/** The subject of requests to the owner of chats. */
export const ownerSubject = (replicaId: string): string => `live.${replicaId}`;
/** The subject of live parts for a replica. */
export const partsSubject = (replicaId: string): string => `parts.${replicaId}`;

/** A chat, and the parts of it that the requesting replica has. */
export interface LiveRequest {
  readonly chat: string;
  /** Null: it knows that there are none. Undefined: it knows nothing. */
  readonly tag?: string | null;
  readonly seq: number;
}

export interface LiveRequests {
  readonly replica: string;
  readonly chats: readonly LiveRequest[];
  /** Chats without viewers. */
  readonly leave: readonly string[];
}

export interface LiveUpdate {
  readonly chat: string;
  /** Null: no live parts. */
  readonly live: LiveTag | null;
  readonly entries: readonly LiveEntry[];
}

export interface LiveUpdates {
  readonly owner: string;
  readonly chats: readonly LiveUpdate[];
}

type WireEntry = [from: number, to: number, role: Role, part: Part, ends?: readonly number[]];
type WireUpdate = [
  chat: string,
  live: [history_version: number, attempt: number, tag: string] | null,
  entries: WireEntry[],
];

export const requestsToJson = (requests: LiveRequests): Json => ({
  replica: requests.replica,
  chats: requests.chats.map(({ chat, tag, seq }) => [chat, tag === undefined ? '?' : tag, seq]),
  leave: [...requests.leave],
});

export function requestsFromJson(json: Json): LiveRequests {
  const { replica, chats, leave } = json as unknown as {
    replica: string;
    chats: [string, string | null, number][];
    leave: string[];
  };
  return {
    replica,
    leave,
    chats: chats.map(([chat, tag, seq]) => ({ chat, seq, ...(tag !== '?' && { tag }) })),
  };
}

export const entryToJson = ({ from, to, role, part, ends }: LiveEntry): WireEntry =>
  ends === undefined ? [from, to, role, part] : [from, to, role, part, ends];

export const updatesToJson = (owner: string, chats: readonly WireUpdate[]): Json =>
  ({ owner, chats }) as unknown as Json;

export const updateToJson = (
  update: Omit<LiveUpdate, 'entries'>,
  entries: WireEntry[],
): WireUpdate => [
  update.chat,
  update.live && [update.live.history_version, update.live.attempt, update.live.tag],
  entries,
];

export function updatesFromJson(json: Json): LiveUpdates {
  const { owner, chats } = json as unknown as { owner: string; chats: WireUpdate[] };
  return {
    owner,
    chats: chats.map(([chat, live, entries]) => ({
      chat,
      live: live && { history_version: live[0], attempt: live[1], tag: live[2] },
      entries: entries.map(([from, to, role, part, ends]) => ({
        from,
        to,
        role,
        part,
        ...(ends && { ends }),
      })),
    })),
  };
}
