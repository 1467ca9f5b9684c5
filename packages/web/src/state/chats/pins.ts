import type { Chat } from '@chatd/protocol';

type Pin = Pick<Chat, 'id' | 'pin_order'>;

/** Between two pins there is room for others, so that moving one seldom touches the rest. */
const GAP = 1000;
const MOST = 1_000_000;

/**
 * What to change so that the chat stands at this place among the pinned ones, which are given in their order, with or
 * without it. Usually the chat alone; all of them when there is no number left between its neighbours.
 */
export function planPin(pinned: readonly Pin[], chatId: string, place: number): readonly Pin[] {
  const others = pinned.filter(({ id }) => id !== chatId);
  const before = others[place - 1]?.pin_order ?? 0;
  const after = others[place]?.pin_order;
  const pin_order = after === undefined ? before + GAP : Math.floor((before + after) / 2);
  if (pin_order > before && pin_order <= MOST && (after === undefined || pin_order < after)) {
    return [{ id: chatId, pin_order }];
  }
  const order = others.toSpliced(place, 0, { id: chatId, pin_order: 0 });
  const gap = Math.max(1, Math.min(GAP, Math.floor(MOST / order.length)));
  const planned = order.map(({ id }, index) => ({ id, pin_order: (index + 1) * gap }));
  const now = new Map(pinned.map((pin) => [pin.id, pin.pin_order]));
  return planned.filter((pin) => now.get(pin.id) !== pin.pin_order);
}
