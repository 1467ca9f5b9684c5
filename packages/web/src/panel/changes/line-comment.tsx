import { useEffect, useRef, useState } from 'react';
import { linesOf } from '../../composer/attach/lines.ts';
import type { ComposerState } from '../../state/composer-state.ts';
import { panelTab } from '../../state/layout.ts';
import { Button } from '../../ui/button.tsx';
import { INPUT } from '../../ui/field.tsx';
import { cx } from '../../ui/class-names.ts';
import type { ChosenLines } from './line-choice.ts';
import { toast } from '../../ui/toast.ts';

/** A comment on lines: the next message refers to them and includes the comment. */
export function LineComment({
  path,
  lines,
  composing,
  beside,
  onClose,
}: {
  readonly path: string;
  readonly lines: ChosenLines;
  readonly composing: ComposerState;
  /** The composer is visible beside the panel. */
  readonly beside: boolean;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  // The user has just opened it.
  useEffect(() => field.current?.focus(), []);
  const place = linesOf({ start_line: lines.start, end_line: lines.end });
  const add = () => {
    composing.references.update((all) => [
      ...all,
      {
        type: 'file-reference',
        file_name: path,
        start_line: lines.start,
        end_line: lines.end,
        content: lines.content,
      },
    ]);
    const comment = text.trim();
    if (comment !== '') {
      const words = `${path}, ${place}: ${comment}`;
      composing.text.update((before) =>
        before.trim() === '' ? words : `${before.trimEnd()}\n\n${words}`,
      );
    }
    toast(`${place.replace(/^l/, 'L')} of ${path} added to your next message`, {
      action: {
        label: 'Go to message',
        onClick() {
          if (!beside) panelTab.set(null);
          composing.focus();
        },
      },
    });
    onClose();
  };
  return (
    <form
      aria-label={`Comment on ${place}`}
      className="flex w-[min(36rem,100cqw)] flex-col gap-2 border-y border-line bg-surface p-2 font-sans whitespace-normal"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <textarea
        aria-label={`Comment on ${place}`}
        placeholder={`Comment on ${place}…`}
        dir="auto"
        rows={2}
        ref={field}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) add();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className={cx(INPUT, 'resize-y')}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="small" kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button size="small" kind="primary" type="submit">
          {text.trim() === '' ? 'Reference lines' : 'Add comment'}
        </Button>
      </div>
    </form>
  );
}
