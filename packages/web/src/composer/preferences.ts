import type { ReasoningEffort } from '@chatd/protocol';
import { Cell } from '../state/cell.ts';
import { browserStorage } from '../state/draft-storage.ts';

export interface ComposerPreferences {
  /** The key that sends; the other one inserts a new line. */
  readonly sendWith: 'enter' | 'mod+enter';
  /** Used for the next new chat. */
  readonly modelConfigId?: string | undefined;
  readonly effort?: ReasoningEffort | undefined;
}

const KEY = 'chatd.composer';

function read(): ComposerPreferences {
  try {
    const stored = JSON.parse(
      browserStorage()?.getItem(KEY) ?? '{}',
    ) as Partial<ComposerPreferences>;
    return { sendWith: 'enter', ...stored };
  } catch {
    return { sendWith: 'enter' };
  }
}

export const preferences = new Cell(read());

export function prefer(change: Partial<ComposerPreferences>): void {
  preferences.update((before) => ({ ...before, ...change }));
  try {
    browserStorage()?.setItem(KEY, JSON.stringify(preferences.get()));
  } catch {
    // Best effort: a full storage only loses the preference.
  }
}
