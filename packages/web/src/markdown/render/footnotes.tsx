import type { ReactNode } from 'react';
import { safeText } from '../safe-text.ts';

const DEFINITION = /^ {0,3}\[\^([^\]\s]{1,40})\]:[ \t]*/;

export interface Footnote {
  readonly label: string;
  readonly text: string;
}

/** The footnotes of a paragraph that begins with `[^label]:`. Undefined: another paragraph. */
export function footnotesIn(text: string): Footnote[] | undefined {
  if (!DEFINITION.test(text)) return undefined;
  const notes: { label: string; text: string }[] = [];
  for (const line of text.split('\n')) {
    const [mark = '', label] = DEFINITION.exec(line) ?? [];
    const last = notes.at(-1);
    if (label !== undefined) notes.push({ label, text: line.slice(mark.length) });
    else if (last !== undefined) last.text += `\n${line.trim()}`;
  }
  return notes;
}

export function Footnotes({
  notes,
  render,
}: {
  readonly notes: readonly Footnote[];
  readonly render: (text: string) => ReactNode;
}) {
  return (
    <dl className="md-footnotes">
      {notes.map(({ label, text }) => (
        <div key={label} data-footnote={label}>
          <dt>{safeText(label)}</dt>
          <dd>{render(text)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Scrolls to its footnote, which may be in a later row of the same answer. */
export function FootnoteMark({ label }: { readonly label: string }) {
  return (
    <sup className="md-footnote">
      <button
        type="button"
        aria-label={`Footnote ${safeText(label)}`}
        onClick={({ currentTarget }) =>
          noteAfter(currentTarget, label)?.scrollIntoView({ block: 'nearest' })
        }
      >
        {safeText(label)}
      </button>
    </sup>
  );
}

function noteAfter(mark: Element, label: string): Element | undefined {
  const notes = document.querySelectorAll(`[data-footnote="${CSS.escape(label)}"]`);
  return [...notes].find(
    (note) => (mark.compareDocumentPosition(note) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  );
}
