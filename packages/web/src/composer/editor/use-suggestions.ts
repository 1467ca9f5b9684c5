import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { LIST_ID, optionId } from '../suggest/suggestion-list.tsx';
import type { Suggestions } from '../suggest/suggestion.ts';
import { type SlashCommand, useCommandSuggestions } from '../suggest/use-command-suggestions.tsx';
import { useFileSuggestions } from '../suggest/use-file-suggestions.tsx';
import { triggerAt } from '../suggest/trigger.ts';
import { replaceRange } from './replace-range.ts';

export interface SuggestionsInput {
  readonly text: string;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly slashCommands: readonly SlashCommand[];
  readonly workspaceId: string | undefined;
  readonly chatId: string | undefined;
}

const LABELS = { file: 'Workspace files', command: 'Commands and skills' };

/** Suggestions for the text at the cursor, and their keys. */
export function useSuggestions(input: SuggestionsInput) {
  const { text, field, slashCommands, workspaceId, chatId } = input;
  const [caret, setCaret] = useState<{ start: number; end: number } | null>(null);
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const typed = caret === null ? undefined : triggerAt(text, caret.start, caret.end);
  const trigger = typed !== undefined && typed.from !== dismissed ? typed : undefined;
  const query = trigger?.query;
  const files = useFileSuggestions(workspaceId, trigger?.kind === 'file' ? query : undefined);
  const named = useCommandSuggestions(
    slashCommands,
    chatId,
    trigger?.kind === 'command' ? query : undefined,
  );
  const suggestions: Suggestions = trigger?.kind === 'file' ? files : named;
  const label = trigger === undefined ? undefined : LABELS[trigger.kind];
  const chosen = Math.min(active, suggestions.list.length - 1);

  useEffect(() => setActive(0), [query, trigger?.kind]);
  // Reset when the cursor leaves the word.
  useEffect(() => {
    if (typed === undefined) setDismissed(null);
  }, [typed]);

  const look = () => {
    const { current } = field;
    setCaret(
      current === null || document.activeElement !== current
        ? null
        : { start: current.selectionStart, end: current.selectionEnd },
    );
  };
  const take = (index: number) => {
    const suggestion = suggestions.list[index];
    if (suggestion === undefined || trigger === undefined || field.current === null) return;
    replaceRange(field.current, trigger.from, trigger.to, suggestion.insert ?? '');
    look();
    suggestion.run?.();
  };
  /** True: the key was handled. */
  const keyDown = (event: KeyboardEvent): boolean => {
    if (trigger === undefined) return false;
    const count = suggestions.list.length;
    if (event.key === 'Escape') {
      setDismissed(trigger.from);
      return count > 0 || suggestions.note !== undefined;
    }
    if (count === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setActive((chosen + step + count) % count);
      return true;
    }
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && (event.key === 'Enter' || event.key === 'Tab')) {
      take(chosen);
      return true;
    }
    return false;
  };
  const open = label !== undefined && suggestions.list.length > 0;
  return {
    look,
    leave: () => setCaret(null),
    keyDown,
    list: { label, suggestions, active: chosen, onActive: setActive, onTake: take },
    aria: {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      ...(open && { 'aria-controls': LIST_ID, 'aria-activedescendant': optionId(chosen) }),
    } as const,
  };
}
