import { type KeyboardEvent, memo, type ReactNode, useMemo, useRef } from 'react';
import { safeText } from '../../markdown/safe-text.ts';
import { cx } from '../../ui/class-names.ts';
import type { DiffLayout } from './diff-layout.ts';
import { useHunkColours } from './hunk-colours.ts';
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
  /** The one line number of the file that Tab leads to is in this hunk. */
  readonly tabStop: boolean;
  readonly onChoose: (hunk: number, line: number, extend: boolean) => void;
  /** On the number of a line. */
  readonly onKey: (event: KeyboardEvent<HTMLElement>) => void;
  /** Below the lines that are chosen. */
  readonly comment: ReactNode;
}

/** One stretch of changed lines with what stands around them. */
export const HunkTable = memo(function HunkTable(props: HunkTableProps) {
  const { hunk, at, path, layout, choice } = props;
  const table = useRef<HTMLTableElement>(null);
  useHunkColours(table, hunk.lines, path);
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
                // Lines of a patch that stands have no other identity than their place.
                // oxlint-disable-next-line react/no-array-index-key -- as said
                key={place}
                {...row}
                left={left && { line: left, index: indices.get(left) ?? 0 }}
                right={right && { line: right, index: indices.get(right) ?? 0 }}
              />
            ))
          : hunk.lines.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- as above
              <UnifiedRow key={index} {...row} shown={{ line, index }} />
            ))}
      </tbody>
    </table>
  );
});

function captionOf({ heading, lines }: Hunk): string {
  const [first] = lines;
  const from = `from line ${first?.after ?? first?.before ?? 0} on`;
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
        {left === undefined ? <NoLine /> : <Text shown={left} half />}
        {right === undefined ? <NoLine /> : <Gutter {...props} shown={right} />}
        {right === undefined ? <NoLine /> : <Text shown={right} half />}
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

/** Nothing stood here. */
const NoLine = () => <td className="bg-surface">{''}</td>;

/** The number of a line, which chooses it. Tab leads to one of a file; arrows go on from there. */
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
        // Enter on lines that were chosen with the arrows keeps them.
        onClick={(event) => onChoose(at, index, event.shiftKey || isChosen(choice, at, index))}
      >
        {shownNumber(line, layout)}
      </button>
    </td>
  );
}

/** Below each other, the number that a line had has a column of its own. */
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
        <span className="ml-2 text-muted select-none" title="The file ends without a line end">
          ⊘
        </span>
      )}
    </td>
  );
}
