import { dateAndTime, shortAgo } from '../../format/time.ts';
import { useCell } from '../../state/cell.ts';
import { minute } from '../../state/minute.ts';
import { cx } from '../../ui/class-names.ts';

/** When something last happened in the chat. Screen readers hear it from the chat's page. */
export function ShortTime({
  time,
  className,
}: {
  readonly time: string;
  readonly className?: string;
}) {
  const now = useCell(minute);
  return (
    <time
      aria-hidden
      dateTime={time}
      title={dateAndTime(time)}
      className={cx('shrink-0 text-xs text-muted tabular-nums', className)}
    >
      {shortAgo(time, now)}
    </time>
  );
}
