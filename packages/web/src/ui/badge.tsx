import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

const KINDS = {
  plain: 'bg-hover text-text',
  good: 'bg-good-surface text-good',
  warn: 'bg-warn-surface text-warn',
  bad: 'bg-bad-surface text-bad',
  info: 'bg-info-surface text-info',
};
export type BadgeKind = keyof typeof KINDS;

export function Badge({
  kind = 'plain',
  children,
}: {
  readonly kind?: BadgeKind;
  readonly children: ReactNode;
}) {
  return (
    <span
      className={cx(
        'inline-flex shrink-0 items-center rounded-md px-1.5 text-sm leading-6 whitespace-nowrap',
        KINDS[kind],
      )}
    >
      {children}
    </span>
  );
}
