import { useState } from 'react';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import { cx } from '../../ui/class-names.ts';
import { type DiffLineKind, diffKinds } from './diff-kinds.ts';

const MOST_LINES = 200;

/** A unified diff as plain lines. The side panel shows it with highlighting and context. */
export function DiffLines({
  text,
  note,
}: {
  readonly text: string;
  /** Why it was not applied. */
  readonly note?: string | undefined;
}) {
  const [whole, setWhole] = useState(false);
  const lines = safeText(text).replace(/\n$/, '').split('\n');
  const shown = whole ? lines : lines.slice(0, MOST_LINES);
  const kinds = diffKinds(shown);
  return (
    <>
      {note !== undefined && (
        <p className="px-3 py-2 text-sm wrap-anywhere whitespace-pre-wrap text-bad">
          {safeText(note)}
        </p>
      )}
      <div
        role="region"
        aria-label="Changes"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
        tabIndex={0}
        className="max-h-96 overflow-auto bg-code font-mono text-[0.8125rem] leading-5"
      >
        <div className="w-fit min-w-full">
          {shown.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines of a diff have no id
            <div key={index} className={cx('px-3 whitespace-pre', LOOKS[kinds[index] ?? 'other'])}>
              {kinds[index] === 'file' ? nameOf(line) : textOf(line)}
            </div>
          ))}
        </div>
      </div>
      {shown.length < lines.length && (
        <button
          type="button"
          className="w-full px-3 py-1 text-left text-sm text-link hover:underline"
          onClick={() => setWhole(true)}
        >
          Show all {counted(lines.length, 'line')}
        </button>
      )}
    </>
  );
}

const nameOf = (line: string) => line.slice(4).replace(/^b\//, '');

/** The lines of planned changes are not known. */
const textOf = (line: string) => (line === '' ? ' ' : line.startsWith('@@ -,') ? '@@' : line);

const LOOKS: Readonly<Record<DiffLineKind, string>> = {
  file: 'sticky top-0 bg-hover font-sans font-medium py-0.5',
  'old-file': 'hidden',
  hunk: 'text-muted bg-surface',
  added: 'bg-added',
  removed: 'bg-removed',
  other: '',
};
