import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { cx } from '../../ui/class-names.ts';
import { Ansi } from '../../markdown/ansi.tsx';

const MOST_LINES = 300;
const MOST_CHARS = 40_000;

export interface BoundedTextProps {
  readonly text: string;
  /** Which part to show when there is too much: the start of a file, the end of program output. */
  readonly keep?: 'start' | 'end';
  readonly className?: string;
}

/** Program output of any size: one page, and the rest on request. */
export function BoundedText({ text, keep = 'start', className }: BoundedTextProps) {
  const [whole, setWhole] = useState(false);
  const page = whole ? text : pageOf(text, keep);
  const more =
    page.length < text.length ? (
      <button
        type="button"
        className="w-full px-3 py-1 text-left text-sm text-link hover:underline"
        onClick={() => setWhole(true)}
      >
        Show all ({counted(text.length, 'character')})
      </button>
    ) : null;
  return (
    <div>
      {keep === 'end' && more}
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
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
