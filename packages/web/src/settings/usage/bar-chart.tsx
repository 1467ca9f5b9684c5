import { useState } from 'react';

export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly value: number;
  readonly text: string;
}

const HEIGHT = 160;
const BAR = 20;
const GAP = 4;

/** Decorative: a table below has the same data for screen readers and keyboards. */
export function BarChart({
  label,
  bars,
}: {
  readonly label: string;
  readonly bars: readonly Bar[];
}) {
  const [at, setAt] = useState<number>();
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const width = Math.max(1, bars.length) * (BAR + GAP);
  const shown = at === undefined ? undefined : bars[at];
  return (
    <figure className="flex flex-col gap-1">
      <div
        role="img"
        aria-label={`${label}. The table below has the same data.`}
        className="rounded-xl border border-line bg-surface p-3"
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-40 w-full"
          onPointerLeave={() => setAt(undefined)}
        >
          {bars.map(({ key, value }, index) => {
            const height = value === 0 ? 0 : Math.max(2, (value / most) * HEIGHT);
            return (
              <g key={key} onPointerEnter={() => setAt(index)}>
                <rect
                  x={index * (BAR + GAP)}
                  y={0}
                  width={BAR + GAP}
                  height={HEIGHT}
                  className={index === at ? 'fill-hover' : 'fill-transparent'}
                />
                <rect
                  x={index * (BAR + GAP) + GAP / 2}
                  y={HEIGHT - height}
                  width={BAR}
                  height={height}
                  className={index === at ? 'fill-accent-hover' : 'fill-accent'}
                />
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption className="flex justify-between gap-2 text-sm text-muted" aria-live="polite">
        {shown === undefined ? (
          <>
            <span className="truncate">{bars[0]?.label}</span>
            <span>Max: {bars.find(({ value }) => value === most)?.text ?? '–'}</span>
            <span className="truncate">{bars.length > 1 && bars.at(-1)?.label}</span>
          </>
        ) : (
          <span className="text-text">
            {shown.label}: <strong>{shown.text}</strong>
          </span>
        )}
      </figcaption>
    </figure>
  );
}
