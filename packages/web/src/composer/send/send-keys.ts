import type { BusyBehavior } from '@chatd/protocol';
import type { ComposerPreferences } from '../preferences.ts';

type SendWith = ComposerPreferences['sendWith'];

/** What sends a message in each way, as `state/keys.ts` writes keys. */
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
 * How a pressed key sends; undefined when it only writes. The Enter that picks a word in an input method never sends:
 * Safari reports it after the composition has ended, and only its key code, 229, tells.
 */
export function sendingKey(
  pressed: PressedKey,
  sendWith: SendWith,
  /** Where keys are drawn on the screen there is no Shift+Enter: Enter makes a new line, and a button sends. */
  touch: boolean,
): BusyBehavior | undefined {
  if (pressed.key !== 'Enter' || isComposing(pressed)) return undefined;
  const keys = [
    pressed.mod && 'mod',
    pressed.alt && 'alt',
    pressed.shift && 'shift',
    'enter',
  ].filter((name) => name !== false);
  const said = keys.join('+');
  if (said === 'enter' && touch) return undefined;
  const ways = Object.entries(SEND_KEYS[sendWith]) as [BusyBehavior, string][];
  return ways.find(([, wanted]) => wanted === said)?.[0];
}

export const isComposing = ({ isComposing, keyCode }: PressedKey): boolean =>
  isComposing || keyCode === 229;
