import type { Chat } from '@chatd/protocol';

type Pin = Pick<Chat, 'id' | 'pin_order'>;

/** Gaps between pins, so that a move rarely changes other chats. */
const GAP = 1000;
const MOST = 1_000_000;

/**
 * The changes that move a chat to an index among the pinned chats, which are given in order, with or without it.
 * Usually only the chat changes; all do when there is no gap between its neighbors.
 */
export function planPin(pinned: readonly Pin[], chatId: string, position: number): readonly Pin[] {
  const others = pinned.filter(({ id }) => id !== chatId);
  const before = others[position - 1]?.pin_order ?? 0;
  const after = others[position]?.pin_order;
  const pin_order = after === undefined ? before + GAP : Math.floor((before + after) / 2);
  if (pin_order > before && pin_order <= MOST && (after === undefined || pin_order < after)) {
    return [{ id: chatId, pin_order }];
  }
  const order = others.toSpliced(position, 0, { id: chatId, pin_order: 0 });
  const gap = Math.max(1, Math.min(GAP, Math.floor(MOST / order.length)));
  const planned = order.map(({ id }, index) => ({ id, pin_order: (index + 1) * gap }));
  const now = new Map(pinned.map((pin) => [pin.id, pin.pin_order]));
  return planned.filter((pin) => now.get(pin.id) !== pin.pin_order);
}
