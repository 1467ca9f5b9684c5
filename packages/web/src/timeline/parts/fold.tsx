import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { type Folds, useFold } from '../../state/chat/folds.ts';
import { cx } from '../../ui/class-names.ts';

interface FoldProps {
  /** The accessible name of the region. */
  readonly label: string;
  readonly folds: Folds;
  readonly foldKey: string;
  readonly icon: ReactNode;
  readonly title: ReactNode;
  /** At the end of the line. */
  readonly aside?: ReactNode;
  /** Expanded by default. */
  readonly open?: boolean;
  /** Absent: nothing to expand. */
  readonly children?: ReactNode;
}

/** A collapsible line within an answer. */
export function Fold({
  label,
  folds,
  foldKey,
  icon,
  title,
  aside,
  open = false,
  children,
}: FoldProps) {
  const [shown, toggle] = useFold(folds, foldKey, open);
  const id = useId();
  const foldable = children !== undefined && children !== null && children !== false;
  const row =
    '-ml-1 flex min-h-7 max-w-full pointer-coarse:min-h-11 items-center gap-2 rounded-md px-1 text-muted';
  const line = (
    <>
      <span aria-hidden className="shrink-0 [&_svg]:size-4">
        {icon}
      </span>
      <span className={cx('min-w-0 text-left', shown ? 'wrap-anywhere' : 'truncate')}>{title}</span>
      {aside}
    </>
  );
  return (
    <section aria-label={label} className="min-w-0 text-sm">
      {foldable ? (
        <button
          type="button"
          aria-expanded={shown}
          aria-controls={id}
          onClick={toggle}
          className={cx(row, 'hover:text-text')}
        >
          {line}
          <ChevronRight
            aria-hidden
            className={cx('size-4 shrink-0 transition-transform', shown && 'rotate-90')}
          />
        </button>
      ) : (
        <div className={row}>{line}</div>
      )}
      {foldable && shown && (
        <div id={id} className="mt-1 ml-2.5 border-l-2 border-line pl-4 text-muted">
          {children}
        </div>
      )}
    </section>
  );
}
