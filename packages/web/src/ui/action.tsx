import type { ReactNode } from 'react';

/** A small button within a text. Without a hint of its own: there are many of them, and each is drawn while scrolling. */
export function Action({
  label,
  pressed,
  onClick,
  children,
}: {
  readonly label: string;
  readonly pressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text aria-pressed:bg-selected aria-pressed:text-text pointer-coarse:size-9 [&_svg]:size-4"
    >
      {children}
    </button>
  );
}
