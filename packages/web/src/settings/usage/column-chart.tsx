import { type KeyboardEvent, useRef, useState } from 'react';
import { shortUtcDay } from '../../format/time.ts';
import { cx } from '../../ui/class-names.ts';
import { type ChartProps, ticksTo } from './axis.ts';

/** Dates below the chart. */
const DATES = 5;

/** A column per day, with an axis. Arrow keys move between the columns; the pointed or focused one shows its value. */
export function ColumnChart({ label, bars, textOf, unit }: ChartProps) {
  const [at, setAt] = useState<number>();
  const columns = useRef<HTMLDivElement>(null);
  const ticks = ticksTo(Math.max(...bars.map(({ value }) => value)) / unit).map((n) => n * unit);
  const top = ticks.at(-1) ?? 1;
  const shown = at === undefined ? undefined : bars[at];
  const middleOf = (index: number) => ((index + 0.5) / bars.length) * 100;
  const every = Math.max(1, Math.ceil(bars.length / DATES));
  const move = (event: KeyboardEvent) => {
    const next = keyTarget(event.key, at ?? bars.length - 1, bars.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    columns.current?.querySelectorAll<HTMLElement>('button')[next]?.focus();
  };
  return (
    <figure
      aria-label={label}
      className="grid grid-cols-[auto_1fr] gap-x-2 rounded-xl border border-line px-3 pt-6 pb-3"
    >
      <div aria-hidden className="flex h-44 flex-col-reverse justify-between">
        {ticks.map((tick) => (
          <span
            key={tick}
            className="flex h-0 items-center justify-end text-xs text-muted tabular-nums"
          >
            {textOf(tick)}
          </span>
        ))}
      </div>
      <div className="relative h-44">
        <div aria-hidden className="absolute inset-0 flex flex-col-reverse justify-between">
          {ticks.map((tick) => (
            <span
              key={tick}
              className={cx('h-0 border-t', tick === 0 ? 'border-line-strong' : 'border-line')}
            />
          ))}
        </div>
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/interactive-supports-focus -- its buttons take the keys */}
        <div
          ref={columns}
          role="toolbar"
          aria-label={`${label}, columns`}
          className="absolute inset-0 flex"
          onKeyDown={move}
          onPointerLeave={() => setAt(undefined)}
        >
          {bars.map(({ key, label: name, value }, index) => (
            <button
              key={key}
              type="button"
              data-dense=""
              aria-label={`${name}: ${textOf(value)}`}
              tabIndex={index === (at ?? bars.length - 1) ? 0 : -1}
              onPointerEnter={() => setAt(index)}
              onFocus={() => setAt(index)}
              onBlur={() => setAt(undefined)}
              className="group relative min-w-0 flex-1 outline-none focus-visible:bg-hover"
            >
              <span
                className={cx(
                  'absolute bottom-0 left-1/2 w-[72%] max-w-10 -translate-x-1/2 rounded-t-sm',
                  index === at ? 'bg-accent-hover' : 'bg-accent',
                )}
                style={{ height: value === 0 ? 0 : `max(2px, ${(value / top) * 100}%)` }}
              />
            </button>
          ))}
        </div>
        {shown !== undefined && at !== undefined && (
          <p
            aria-hidden
            className="pointer-events-none absolute bottom-full z-10 -mb-3 -translate-x-1/2 rounded-md bg-text px-2 py-1 text-sm whitespace-nowrap text-background shadow-pop"
            style={{ left: `clamp(4.5rem, ${middleOf(at)}%, calc(100% - 4.5rem))` }}
          >
            {shown.label}: <strong className="tabular-nums">{textOf(shown.value)}</strong>
          </p>
        )}
      </div>
      <div aria-hidden className="relative col-start-2 h-6 text-xs text-muted">
        {bars.map(
          ({ key }, index) =>
            index % every === Math.floor(every / 2) && (
              <span
                key={key}
                className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap"
                style={{ left: `${middleOf(index)}%` }}
              >
                {shortUtcDay(key)}
              </span>
            ),
        )}
      </div>
    </figure>
  );
}

function keyTarget(key: string, at: number, last: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return Math.max(0, at - 1);
    case 'ArrowRight':
      return Math.min(last, at + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
