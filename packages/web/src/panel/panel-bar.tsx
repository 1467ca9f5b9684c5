import type { ReactNode } from 'react';

/** Above what a tab shows: what it is about, and what can be done with it. */
export function PanelBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-1 border-b border-line px-2 py-1">
      {children}
    </div>
  );
}
