import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { type Folds, useFold } from '../../state/chat/folds.ts';
import { cx } from '../../ui/class-names.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { Elapsed } from './elapsed.tsx';
import { StateMark } from './state-mark.tsx';
import type { ToolView } from './tool-view.ts';

export interface ToolFrameProps {
  readonly folds: Folds;
  readonly view: ToolView;
  /** A card with a border; otherwise a line of 28 px. */
  readonly card: boolean;
  readonly icon: ReactNode;
  /** A one-line summary. */
  readonly title: ReactNode;
  /** At the end of the line: an exit code, a count. */
  readonly aside?: ReactNode;
  readonly untimed?: boolean;
  /** An action beside the line. */
  readonly action?: ReactNode;
  /** Expanded by default. */
  readonly open: boolean;
  /** Absent: nothing to expand. */
  readonly children?: ReactNode;
}

/** The frame of all calls: a line with summary, state and duration, and a collapsible body. */
export function ToolFrame({
  folds,
  view,
  card,
  icon,
  title,
  aside,
  untimed = false,
  action,
  open,
  children,
}: ToolFrameProps) {
  const [shown, toggle] = useFold(folds, view.call.tool_call_id, open);
  const id = useId();
  const foldable = children !== undefined && children !== null && children !== false;
  const { state } = view;
  const line = (
    <>
      {!card && state === 'running' ? (
        <StateMark state={state} />
      ) : (
        <span aria-hidden className="text-muted [&_svg]:size-4">
          {icon}
        </span>
      )}
      <span className={cx('min-w-0 truncate text-left', card && 'flex-1 max-sm:min-w-[38%]')}>
        {title}
      </span>
      {aside}
      {!untimed && <Elapsed view={view} />}
      {card ? <StateMark state={state} /> : <LineMark view={view} />}
    </>
  );
  const row = cx(
    'flex min-w-0 items-center gap-2 text-sm pointer-coarse:min-h-11',
    card
      ? 'min-h-9 flex-1 px-3 py-1.5 max-sm:flex-wrap max-sm:gap-y-0'
      : '-ml-1 min-h-7 rounded-md px-1 text-muted',
  );
  return (
    <section
      aria-label={`Tool ${view.call.tool_name}`}
      data-call={view.call.tool_call_id}
      data-state={state}
      data-look={card ? 'card' : 'line'}
      className={cx(
        'min-w-0',
        card &&
          'my-1 overflow-hidden rounded-xl border border-line bg-surface data-[state=awaiting]:border-warn',
      )}
    >
      <div className="flex min-w-0 items-center text-sm">
        {foldable ? (
          <button
            type="button"
            aria-expanded={shown}
            aria-controls={id}
            className={cx(
              row,
              card ? 'hover:bg-hover focus-visible:-outline-offset-2' : 'hover:text-text',
            )}
            onClick={toggle}
          >
            {line}
            <ChevronRight
              aria-hidden
              className={cx(
                'size-4 shrink-0 text-muted transition-transform',
                card && 'ml-auto',
                shown && 'rotate-90',
              )}
            />
          </button>
        ) : (
          <div className={row}>{line}</div>
        )}
        {action !== undefined && <div className="shrink-0 px-3">{action}</div>}
      </div>
      {foldable && shown && (
        <div
          id={id}
          className={
            card
              ? 'border-t border-line'
              : 'mt-0.5 mb-1.5 ml-6 overflow-hidden rounded-lg border border-line bg-surface'
          }
        >
          {children}
        </div>
      )}
    </section>
  );
}

/** A finished line needs no mark; screen readers are told its state. */
function LineMark({ view }: Pick<ToolFrameProps, 'view'>) {
  const { state } = view;
  if (state === 'running') return null;
  if (state === 'done') return <span className="sr-only">done</span>;
  return state === 'writing' ? <Spinner /> : <StateMark state={state} />;
}
