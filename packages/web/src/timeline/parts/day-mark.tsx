import { longDay } from '../../format/time.ts';

export function DayMark({ time }: { readonly time: string }) {
  return (
    <div className="flex items-center gap-3 py-3 text-xs text-muted">
      <span aria-hidden className="h-px flex-1 bg-line" />
      <time dateTime={time}>{longDay(time)}</time>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}
