import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

export interface DetailsText {
  readonly open: boolean;
  readonly summary: string;
  readonly content: string;
}

const START = /^ {0,3}<details([ \t]+open(?:="")?)?[ \t]*>\s*/i;
const SUMMARY = /^<summary>([\s\S]*?)(?:<\/summary>|$)\s*/i;
const END = /<\/details>\s*$/i;

/** The parts of a `<details>` block. Undefined: another block. */
export function detailsIn(text: string): DetailsText | undefined {
  const start = START.exec(text);
  if (start === null) return undefined;
  const rest = text.slice(start[0].length).replace(END, '');
  const summary = SUMMARY.exec(rest);
  return {
    open: start[1] !== undefined,
    summary: summary?.[1]?.trim() ?? '',
    content: rest.slice(summary?.[0].length ?? 0),
  };
}

/** Content that is rendered when it is opened. */
export function Details({
  open: openAtFirst,
  summary,
  children,
}: {
  readonly open: boolean;
  readonly summary: ReactNode;
  readonly children: () => ReactNode;
}) {
  const [open, setOpen] = useState(openAtFirst);
  return (
    <div className="md-details">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden />
        <span>{summary}</span>
      </button>
      {open && <div className="md-details-content">{children()}</div>}
    </div>
  );
}
