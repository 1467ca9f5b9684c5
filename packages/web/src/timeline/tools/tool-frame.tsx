import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { type Folds, useFold } from '../../state/chat/folds.ts';
import { cx } from '../../ui/class-names.ts';
import { Elapsed } from './elapsed.tsx';
import { StateMark } from './state-mark.tsx';
import type { ToolView } from './tool-view.ts';

export interface ToolFrameProps {
  readonly folds: Folds;
  readonly view: ToolView;
  readonly icon: ReactNode;
  /** A one-line summary. */
  readonly title: ReactNode;
  /** At the end of the line: an exit code, a count. */
  readonly aside?: ReactNode;
  /** An action beside the line. */
  readonly action?: ReactNode;
  /** Expanded by default. */
  readonly open: boolean;
  /** Absent: nothing to expand. */
  readonly children?: ReactNode;
}

/** The frame of all cards: a line with summary, state and duration, and a collapsible body. */
export function ToolFrame({
  folds,
  view,
  icon,
  title,
  aside,
  action,
  open,
  children,
}: ToolFrameProps) {
  const [shown, toggle] = useFold(folds, view.call.tool_call_id, open);
  const id = useId();
  const foldable = children !== undefined && children !== null && children !== false;
  const line = (
    <>
      <span aria-hidden className="text-muted [&_svg]:size-4">
        {icon}
      </span>
      <span className="min-w-0 flex-1 truncate text-left">{title}</span>
      {aside}
      <Elapsed view={view} />
      <StateMark state={view.state} />
    </>
  );
  const row = 'flex min-h-9 min-w-0 flex-1 items-center gap-2 px-3 py-1.5 text-sm';
  return (
    <section
      aria-label={`Tool ${view.call.tool_name}`}
      data-call={view.call.tool_call_id}
      data-state={view.state}
      className="overflow-hidden rounded-xl border border-line bg-surface data-[state=awaiting]:border-warn"
    >
      <div className="flex items-center text-sm">
        {foldable ? (
          <button
            type="button"
            aria-expanded={shown}
            aria-controls={id}
            className={cx(row, 'hover:bg-hover focus-visible:-outline-offset-2')}
            onClick={toggle}
          >
            {line}
            <ChevronRight
              aria-hidden
              className={cx(
                'size-4 shrink-0 text-muted transition-transform',
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
        <div id={id} className="border-t border-line">
          {children}
        </div>
      )}
    </section>
  );
}
