import type { BusyBehavior } from '@chatd/protocol';
import type { ComposerPreferences } from '../preferences.ts';

type SendWith = ComposerPreferences['sendWith'];

/** The keys of each mode, in the notation of `state/keys.ts`. */
export const SEND_KEYS: Record<SendWith, Record<BusyBehavior, string>> = {
  enter: { queue: 'enter', steer: 'mod+enter', interrupt: 'mod+shift+enter' },
  'mod+enter': { queue: 'mod+enter', steer: 'mod+shift+enter', interrupt: 'mod+alt+enter' },
};

export interface PressedKey {
  readonly key: string;
  readonly keyCode: number;
  readonly isComposing: boolean;
  readonly mod: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
}

/**
 * The mode for a pressed key; undefined when it only types. The Enter that ends an IME composition never sends: Safari
 * reports it afterwards, recognizable only by key code 229.
 */
export function sendingKey(
  pressed: PressedKey,
  sendWith: SendWith,
  /** On-screen keyboards have no Shift+Enter, so Enter inserts a new line. */
  touch: boolean,
): BusyBehavior | undefined {
  if (pressed.key !== 'Enter' || isComposing(pressed)) return undefined;
  const keys = [
    pressed.mod && 'mod',
    pressed.alt && 'alt',
    pressed.shift && 'shift',
    'enter',
  ].filter((name) => name !== false);
  const shortcut = keys.join('+');
  if (shortcut === 'enter' && touch) return undefined;
  const ways = Object.entries(SEND_KEYS[sendWith]) as [BusyBehavior, string][];
  return ways.find(([, wanted]) => wanted === shortcut)?.[0];
}

export const isComposing = ({ isComposing, keyCode }: PressedKey): boolean =>
  isComposing || keyCode === 229;
