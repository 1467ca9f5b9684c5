const format = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

export function DayMark({ time }: { readonly time: string }) {
  return (
    <div className="flex items-center gap-3 py-3 text-xs text-muted">
      <span aria-hidden className="h-px flex-1 bg-line" />
      <time dateTime={time}>{format.format(new Date(time))}</time>
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  );
}
