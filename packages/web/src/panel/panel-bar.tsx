import type { ReactNode } from 'react';

/** The title and actions of a tab. */
export function PanelBar({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex min-h-10 shrink-0 items-center gap-1 border-b border-line px-2 py-1">
      {children}
    </div>
  );
}
