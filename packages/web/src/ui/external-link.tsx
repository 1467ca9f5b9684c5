import type { ReactNode } from 'react';
import { cx } from './class-names.ts';

/** Where a model, or a page of another, may lead: to the web and to a letter, and to nothing that runs here. */
export function isSafeAddress(href: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol);
  } catch {
    return false;
  }
}

/** A link that leaves chatd. One that leads anywhere but to the web is only text. */
export function ExternalLink({
  href,
  className,
  children,
}: {
  readonly href: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  if (!isSafeAddress(href)) return <span className={className}>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={href}
      className={cx('text-accent underline underline-offset-2', className)}
    >
      {children}
    </a>
  );
}
