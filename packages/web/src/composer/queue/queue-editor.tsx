import type { QueuedMessage } from '@chatd/protocol';
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ComposerState } from '../../state/composer-state.ts';
import { draftOf } from '../../state/draft-of.ts';
import { Button } from '../../ui/button.tsx';
import { isComposing } from '../send/send-keys.ts';
import { pressed } from '../pressed.ts';
import { editText } from './queue-changes.ts';
import { toast } from '../../ui/toast.ts';

/** Edits a queued message. If the agent takes it meanwhile, the text moves to the composer. */
export function QueueEditor({
  message,
  composing,
  onClose,
}: {
  readonly message: QueuedMessage;
  readonly composing: ComposerState;
  readonly onClose: () => void;
}) {
  const before = draftOf(message).text;
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  const closing = useRef(false);

  const rescue = useEffectEvent(() => {
    if (closing.current || text === before) return;
    composing.insert(text);
    toast('The agent has already received this message. Your changes are in the composer.');
  });
  useEffect(() => {
    const element = field.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
    return () => rescue();
  }, []);

  const close = () => {
    closing.current = true;
    onClose();
    composing.focus();
  };
  const save = async () => {
    if (text.trim() === '') return;
    if (text === before || (await editText(message, text))) close();
  };
  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(pressed(event))) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void save();
    }
  };
  return (
    <div className="flex flex-col gap-1 p-1">
      <textarea
        ref={field}
        aria-label="Queued message"
        value={text}
        rows={2}
        className="field-sizing-content max-h-[20dvh] w-full resize-none rounded-lg border border-line-strong bg-background px-2 py-1.5"
        onChange={({ target }) => setText(target.value)}
        onKeyDown={keyDown}
      />
      <div className="flex justify-end gap-2">
        <Button size="small" kind="quiet" onClick={close}>
          Cancel
        </Button>
        <Button
          size="small"
          kind="primary"
          disabled={text.trim() === ''}
          onClick={() => void save()}
        >
          Save
        </Button>
      </div>
    </div>
  );
}
