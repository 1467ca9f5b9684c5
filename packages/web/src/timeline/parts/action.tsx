import type { ReactNode } from 'react';

/** A small button of a message. Without a hint of its own: there are many of them, and each is drawn while scrolling. */
export function Action({
  label,
  onClick,
  children,
}: {
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text pointer-coarse:size-9 [&_svg]:size-4"
    >
      {children}
    </button>
  );
}
