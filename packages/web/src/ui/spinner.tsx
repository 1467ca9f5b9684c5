import { cx } from './class-names.ts';

/** Something is under way. Its name is for screen readers; leave it out where text beside it says so. */
export function Spinner({
  label,
  className,
}: {
  readonly label?: string;
  readonly className?: string;
}) {
  return (
    <span
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'status', 'aria-label': label })}
      className={cx(
        'inline-block size-4 animate-spin rounded-full border-2 border-line-strong border-t-transparent',
        className,
      )}
    />
  );
}
