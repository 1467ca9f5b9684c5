import { type KeyboardEvent, memo, type ReactNode, useMemo, useRef } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { cx } from '../../ui/class-names.ts';
import type { DiffLayout } from './diff-layout.ts';
import { useHunkHighlights } from './hunk-highlights.ts';
import { isChosen, type LineChoice } from './line-choice.ts';
import { type Hunk, pairsOf, type PatchLine } from './patch.ts';

const LOOK = { context: 'bg-code', added: 'bg-added', removed: 'bg-removed' };
const SIGN = { context: ' ', added: '+', removed: '−' };
const SAID = { context: '', added: 'added ', removed: 'removed ' };

export interface HunkTableProps {
  readonly hunk: Hunk;
  readonly at: number;
  readonly path: string;
  readonly layout: DiffLayout;
  readonly choice: LineChoice | undefined;
  /** Contains the one line number of the file that is in the tab order. */
  readonly tabStop: boolean;
  readonly onChoose: (hunk: number, line: number, extend: boolean) => void;
  /** Key on a line number. */
  readonly onKey: (event: KeyboardEvent<HTMLElement>) => void;
  /** Shown below the selected lines. */
  readonly comment: ReactNode;
}

export const HunkTable = memo(function HunkTable(props: HunkTableProps) {
  const { hunk, at, path, layout, choice } = props;
  const table = useRef<HTMLTableElement>(null);
  useHunkHighlights(table, hunk.lines, path, layout);
  const indices = useMemo(() => new Map(hunk.lines.map((line, index) => [line, index])), [hunk]);
  const last = choice?.hunk === at ? Math.max(choice.from, choice.to) : undefined;
  const row = { ...props, last };
  return (
    <table ref={table} className="w-full border-collapse">
      <caption className="sr-only">{captionOf(hunk)}</caption>
      <tbody>
        {hunk.heading !== undefined && (
          <tr aria-hidden className="bg-surface text-muted">
            <td colSpan={layout === 'split' ? 4 : 3} className="px-2 py-0.5">
              <span className="select-none">⋯ </span>
              {safeText(hunk.heading)}
            </td>
          </tr>
        )}
        {layout === 'split'
          ? pairsOf(hunk.lines).map(({ left, right }, place) => (
              <SplitRow
                // oxlint-disable-next-line react/no-array-index-key -- lines of a patch have no id
                key={place}
                {...row}
                left={left && { line: left, index: indices.get(left) ?? 0 }}
                right={right && { line: right, index: indices.get(right) ?? 0 }}
              />
            ))
          : hunk.lines.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines of a patch have no id
              <UnifiedRow key={index} {...row} shown={{ line, index }} />
            ))}
      </tbody>
    </table>
  );
});

function captionOf({ heading, lines }: Hunk): string {
  const [first] = lines;
  const from = `from line ${first?.after ?? first?.before ?? 0}`;
  return heading === undefined ? `Lines ${from}` : `Changes ${from} ${safeText(heading)}`;
}

interface Shown {
  readonly line: PatchLine;
  readonly index: number;
}

type RowProps = HunkTableProps & { readonly last: number | undefined };

function UnifiedRow({ shown, ...props }: RowProps & { readonly shown: Shown }) {
  const { line, index } = shown;
  const { at, hunk, choice, comment, last } = props;
  return (
    <>
      <tr className={cx(LOOK[line.kind], isChosen(choice, at, index) && 'diff-chosen')}>
        {hunk.heading !== undefined && <td className="diff-number">{line.before ?? ''}</td>}
        <Gutter {...props} shown={shown} />
        <Text shown={shown} />
      </tr>
      {last === index && comment !== undefined && (
        <tr>
          <td colSpan={3} className="sticky left-0">
            {comment}
          </td>
        </tr>
      )}
    </>
  );
}

function SplitRow({
  left,
  right,
  ...props
}: RowProps & { readonly left: Shown | undefined; readonly right: Shown | undefined }) {
  const { at, choice, comment, last } = props;
  const isChosenRow = [left, right].some((shown) => shown && isChosen(choice, at, shown.index));
  const ends = [left, right].some((shown) => shown?.index === last);
  return (
    <>
      <tr className={cx(isChosenRow && 'diff-chosen')}>
        {left === undefined || left === right || left.line.kind === 'context' ? (
          <td className={cx('diff-number', left && LOOK[left.line.kind])}>
            {left?.line.before ?? ''}
          </td>
        ) : (
          <Gutter {...props} shown={left} />
        )}
        {left === undefined ? <NoLine half /> : <Text shown={left} half />}
        {right === undefined ? <NoLine /> : <Gutter {...props} shown={right} />}
        {right === undefined ? <NoLine half /> : <Text shown={right} half />}
      </tr>
      {ends && comment !== undefined && (
        <tr>
          <td colSpan={4} className="sticky left-0">
            {comment}
          </td>
        </tr>
      )}
    </>
  );
}

/** The placeholder opposite an added or removed line. */
const NoLine = ({ half = false }: { readonly half?: boolean }) => (
  <td className={cx('bg-surface', half ? 'diff-half' : 'diff-number')}>{''}</td>
);

/** A line number, which selects its line. One number per file is in the tab order; arrow keys move from there. */
function Gutter({
  at,
  shown,
  layout,
  tabStop,
  choice,
  onChoose,
  onKey,
}: RowProps & { readonly shown: Shown }) {
  const { line, index } = shown;
  const number = line.after ?? line.before ?? 0;
  return (
    <td className={cx('diff-number diff-pinned', LOOK[line.kind])}>
      <button
        type="button"
        tabIndex={tabStop && index === 0 ? 0 : -1}
        data-gutter={`${at}:${index}`}
        aria-label={`Comment on ${SAID[line.kind]}line ${number}`}
        className="diff-gutter"
        onKeyDown={onKey}
        // Enter keeps a selection made with the arrow keys.
        onClick={(event) => onChoose(at, index, event.shiftKey || isChosen(choice, at, index))}
      >
        {shownNumber(line, layout)}
      </button>
    </td>
  );
}

/** The unified layout has a column for old line numbers. */
const shownNumber = ({ before, after }: PatchLine, layout: DiffLayout) =>
  after ?? (layout === 'split' ? before : '\u00A0');

function Text({
  shown: { line, index },
  half = false,
}: {
  readonly shown: Shown;
  readonly half?: boolean;
}) {
  return (
    <td className={cx('diff-text', half && 'diff-half', LOOK[line.kind])}>
      <span aria-hidden className="diff-sign">
        {SIGN[line.kind]}
      </span>
      <span data-line={index}>{safeText(line.text)}</span>
      {line.unended === true && (
        <span className="ml-2 text-muted select-none" title="No newline at end of file">
          ⊘
        </span>
      )}
    </td>
  );
}
