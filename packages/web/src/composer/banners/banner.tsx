import type { ReactNode } from 'react';
import { cx } from '../../ui/class-names.ts';

const KINDS = {
  info: 'bg-info-surface [--mark:var(--info)]',
  warn: 'bg-warn-surface [--mark:var(--warn)]',
  bad: 'bg-bad-surface [--mark:var(--bad)]',
};

/** A message above the text, with actions. */
export function Banner({
  kind,
  icon,
  live,
  children,
  actions,
}: {
  readonly kind: keyof typeof KINDS;
  readonly icon: ReactNode;
  readonly live?: 'status' | 'alert';
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}) {
  return (
    <div
      {...(live !== undefined && { role: live })}
      className={cx(
        'flex flex-wrap items-center gap-x-3 gap-y-1.5 rounded-xl px-3 py-2 text-sm',
        KINDS[kind],
      )}
    >
      <span className="flex min-w-0 flex-[1_1_16rem] items-start gap-2">
        <span aria-hidden className="mt-0.5 shrink-0 text-(--mark) [&_svg]:size-4">
          {icon}
        </span>
        <span className="min-w-0 break-words">{children}</span>
      </span>
      {actions !== undefined && <span className="flex flex-wrap gap-2">{actions}</span>}
    </div>
  );
}
