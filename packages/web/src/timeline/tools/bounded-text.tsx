import { useState } from 'react';
import { cx } from '../../ui/class-names.ts';
import { Ansi } from '../../markdown/ansi.tsx';

const MOST_LINES = 300;
const MOST_CHARS = 40_000;

export interface BoundedTextProps {
  readonly text: string;
  /** Which part is worth seeing when there is too much: the beginning of a file, the end of what a program says. */
  readonly keep?: 'start' | 'end';
  readonly className?: string;
}

/** Output of a program, whatever it holds and however much: a page of it, and the rest when asked for. */
export function BoundedText({ text, keep = 'start', className }: BoundedTextProps) {
  const [whole, setWhole] = useState(false);
  const page = whole ? text : pageOf(text, keep);
  const more =
    page.length < text.length ? (
      <button
        type="button"
        className="w-full px-3 py-1 text-left text-sm text-accent hover:underline"
        onClick={() => setWhole(true)}
      >
        Show all ({text.length.toLocaleString()} characters)
      </button>
    ) : null;
  return (
    <div>
      {keep === 'end' && more}
      <pre
        // What can be scrolled must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className={cx(
          'max-h-96 overflow-auto px-3 py-2 font-mono text-[0.8125rem] leading-5 wrap-anywhere whitespace-pre-wrap focus-visible:-outline-offset-2',
          className,
        )}
      >
        <Ansi text={page} />
      </pre>
      {keep === 'start' && more}
    </div>
  );
}

function pageOf(text: string, keep: 'start' | 'end'): string {
  const some = keep === 'start' ? text.slice(0, MOST_CHARS) : text.slice(-MOST_CHARS);
  const lines = some.split('\n');
  if (lines.length <= MOST_LINES) return some;
  return (keep === 'start' ? lines.slice(0, MOST_LINES) : lines.slice(-MOST_LINES)).join('\n');
}
