import type { ChartProps } from './axis.ts';

/** A bar per name, largest first. Everything is text, so it needs no interaction. */
export function RankChart({ label, bars, textOf }: ChartProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ol
      aria-label={label}
      className="flex flex-col gap-2 rounded-xl border border-line px-3 py-3 sm:px-4"
    >
      {bars.map(({ key, label: name, value }) => (
        <li
          key={key}
          className="grid grid-cols-[1fr_auto] items-center gap-x-3 sm:grid-cols-[minmax(8rem,14rem)_1fr_6rem]"
        >
          <span className="min-w-0 truncate" title={name}>
            {name}
          </span>
          <span className="order-last col-span-2 h-2 rounded-full bg-hover sm:order-none sm:col-span-1">
            <span
              className="block h-full rounded-full bg-accent"
              style={{ width: `${(value / most) * 100}%` }}
            />
          </span>
          <span className="text-right text-sm text-muted tabular-nums">{textOf(value)}</span>
        </li>
      ))}
    </ol>
  );
}
