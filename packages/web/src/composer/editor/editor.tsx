import type { BusyBehavior, Message } from '@chatd/protocol';
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { useCell } from '../../state/cell.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { cx } from '../../ui/class-names.ts';
import { attach, attachPasted } from '../attach/attachments.ts';
import { pasted } from '../attach/clipboard.ts';
import { promptsOf, type HistoryPosition, recallPrompt } from '../history/prompt-history.ts';
import { recentPrompts } from '../history/recent-prompts.ts';
import { preferences } from '../preferences.ts';
import { pressed } from '../pressed.ts';
import { isComposing, sendingKey } from '../send/send-keys.ts';
import { SuggestionList } from '../suggest/suggestion-list.tsx';
import type { SlashCommand } from '../suggest/use-command-suggestions.tsx';
import { replaceRange } from './replace-range.ts';
import { useSuggestions } from './use-suggestions.ts';

/** Devices with only an on-screen keyboard, with or without a stylus. */
const TOUCH = matchMedia('(pointer: coarse) and (not (any-hover: hover))');
const GROWS = CSS.supports('field-sizing', 'content');

export interface EditorProps {
  readonly composing: ComposerState;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly placeholder: string;
  readonly readOnly: boolean;
  /** Starts with several lines. */
  readonly tall?: boolean;
  readonly slashCommands: readonly SlashCommand[];
  readonly workspaceId: string | undefined;
  readonly chatId: string | undefined;
  /** Recalls earlier prompts. */
  readonly messages: () => readonly Message[];
  /** Undefined: the mode of the send button. */
  readonly onSend: (behavior: BusyBehavior | undefined) => void;
  /** True: there was something to end. */
  readonly onEscape: () => boolean;
}

/**
 * A plain text area: the only editor that all input methods, spell checkers, screen readers and phones support, at no
 * cost. Files and references are shown beside the text.
 */
export function Editor(props: EditorProps) {
  const { composing, field, placeholder, readOnly, tall = false, onSend, onEscape } = props;
  const text = useCell(composing.text);
  const { sendWith } = useCell(preferences);
  const walk = useRef<HistoryPosition | undefined>(undefined);
  const plainPaste = useRef(false);
  const suggestions = useSuggestions({ ...props, text });
  useFocus(composing, field);
  useGrowing(field, text);

  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const key = pressed(event);
    if (isComposing(key)) return;
    plainPaste.current = key.mod && key.shift && key.key.toLowerCase() === 'v';
    const handled =
      suggestions.keyDown(event) ||
      (key.key === 'Escape' && onEscape()) ||
      sent(sendingKey(key, sendWith, TOUCH.matches), event) ||
      walkedBy(event);
    if (handled) event.preventDefault();
  };
  const sent = (how: BusyBehavior | undefined, event: KeyboardEvent): boolean => {
    if (how === undefined) return false;
    // A held key would send the text typed next.
    if (!event.repeat) onSend(how === 'queue' ? undefined : how);
    return true;
  };
  const walkedBy = ({ key, currentTarget, ...event }: KeyboardEvent<HTMLTextAreaElement>) => {
    if (key !== 'ArrowUp' && key !== 'ArrowDown') return false;
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const { selectionStart: start, selectionEnd: end } = currentTarget;
    const step = recallPrompt(walk.current, key, { text, start, end }, () =>
      promptsOf(props.messages(), recentPrompts()),
    );
    if (step === undefined) return false;
    walk.current = step.walk;
    composing.text.set(step.text);
    currentTarget.setSelectionRange(step.text.length, step.text.length);
    return true;
  };
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { files, types } = event.clipboardData;
    const clipboard = {
      files: Array.from(files),
      text: event.clipboardData.getData('text/plain'),
      types,
    };
    const meant = pasted(clipboard, plainPaste.current);
    plainPaste.current = false;
    if (meant.kind === 'text') return;
    event.preventDefault();
    if (readOnly) return;
    if (meant.kind === 'files') attach(composing, meant.files);
    else attachPasted(composing, meant.text);
  };
  return (
    <SuggestionList {...suggestions.list}>
      <textarea
        ref={field}
        aria-label="Message"
        {...suggestions.aria}
        placeholder={placeholder}
        readOnly={readOnly}
        value={text}
        rows={1}
        autoComplete="off"
        enterKeyHint={TOUCH.matches ? 'enter' : 'send'}
        className={cx(
          tall ? 'min-h-22' : 'min-h-11',
          'field-sizing-content block max-h-[min(40dvh,24rem)] w-full resize-none overflow-y-auto bg-transparent px-4 pt-3 pb-1 text-base outline-none placeholder:text-muted md:text-[0.9375rem]',
        )}
        onChange={({ target }) => {
          composing.text.set(target.value);
          suggestions.look();
        }}
        onSelect={suggestions.look}
        onBlur={suggestions.leave}
        onKeyDown={keyDown}
        onPaste={paste}
      />
    </SuggestionList>
  );
}

/** Inserts at the cursor as if typed. */
export function typeText(field: HTMLTextAreaElement | null, text: string): void {
  if (field !== null) replaceRange(field, field.selectionStart, field.selectionEnd, text);
}

/** Takes the focus on request, and initially where that opens no on-screen keyboard. */
function useFocus(composing: ComposerState, field: RefObject<HTMLTextAreaElement | null>): void {
  const asked = useCell(composing.focusAsked);
  const seen = useRef<number>(undefined);
  useEffect(() => {
    const first = seen.current === undefined;
    if (seen.current === asked) return;
    seen.current = asked;
    const element = field.current;
    if (element === null || (first && TOUCH.matches)) return;
    // The opener may still have the focus, or a dialog may be in front.
    if (first && document.activeElement !== document.body && document.activeElement !== null) {
      if (document.activeElement.closest('[role="dialog"]') !== null) return;
    }
    element.focus({ preventScroll: true });
    if (!first) element.setSelectionRange(element.value.length, element.value.length);
  }, [asked, field]);
}

/** For browsers without native support. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (!GROWS && field.current !== null) fit(field.current);
  }, [field, text]);
}

function fit(element: HTMLTextAreaElement): void {
  element.style.height = 'auto';
  element.style.height = `${element.scrollHeight}px`;
}
