import { useEffect, useRef } from 'react';
import { cx } from '../../ui/class-names.ts';

const LONGEST = 200;

/** Edits a title in place. Enter and blur save; Escape cancels. */
export function TitleField({
  title,
  onDone,
  className,
}: {
  readonly title: string;
  /** Undefined: unchanged. */
  readonly onDone: (title: string | undefined, by: 'key' | 'leaving') => void;
  readonly className?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  const over = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const done = (by: 'key' | 'leaving', keep: boolean) => {
    if (over.current) return;
    over.current = true;
    const next = field.current?.value.trim() ?? '';
    onDone(keep && next !== '' && next !== title ? next : undefined, by);
  };
  return (
    <input
      ref={field}
      aria-label="Title"
      dir="auto"
      defaultValue={title}
      maxLength={LONGEST}
      autoComplete="off"
      spellCheck={false}
      className={cx(
        'min-w-0 flex-1 rounded-md border border-line-strong bg-background px-1.5 py-0.5',
        className,
      )}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // The focus moves to the title, which the same key press would activate.
        event.preventDefault();
        done('key', event.key === 'Enter');
      }}
      onBlur={() => done('leaving', true)}
      onPointerDown={(event) => event.stopPropagation()}
    />
  );
}
