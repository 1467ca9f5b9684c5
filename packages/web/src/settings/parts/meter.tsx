import { cx } from '../../ui/class-names.ts';

/** Above this ratio the meter shows a warning. */
const NEAR = 0.8;

export function Meter({
  label,
  value,
  most,
}: {
  readonly label: string;
  readonly value: number;
  readonly most: number;
}) {
  const part = most === 0 ? 1 : Math.min(1, value / most);
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      aria-valuetext={`${Math.round(part * 100)}%`}
      className="h-2 w-full max-w-sm overflow-hidden rounded-full bg-hover"
    >
      <div
        className={cx('h-full', part >= 1 ? 'bg-bad' : part >= NEAR ? 'bg-warn' : 'bg-muted')}
        style={{ width: `${part * 100}%` }}
      />
    </div>
  );
}
