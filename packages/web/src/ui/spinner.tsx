import { cx } from './class-names.ts';

/** Omit the label where adjacent text says the same. */
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
