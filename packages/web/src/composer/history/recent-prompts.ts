import { session } from '../../api/session.ts';
import { browserStorage } from '../../state/draft-storage.ts';

const MOST = 50;
/** Longer prompts are not stored. */
const LONGEST = 4000;

function keyOf(): string {
  const state = session.state.get();
  return `chatd.prompts.${state.kind === 'signed-in' ? state.user.id : 'nobody'}`;
}

/** The prompts sent last from this browser, in any chat, newest first. */
export function recentPrompts(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(browserStorage()?.getItem(keyOf()) ?? '[]');
    return Array.isArray(stored) ? stored.filter((text) => typeof text === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberPrompt(text: string): void {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > LONGEST) return;
  const prompts = [trimmed, ...recentPrompts().filter((other) => other !== trimmed)].slice(0, MOST);
  try {
    browserStorage()?.setItem(keyOf(), JSON.stringify(prompts));
  } catch {
    // Best effort: a full storage only loses prompt history.
  }
}
