import { lazy, Suspense, useEffect, useState } from 'react';
import { shownAppearance } from '../state/appearance.ts';
import { useCell } from '../state/cell.ts';
import { whenIdle } from '../state/chat/idle.ts';

const Toasts = lazy(async () => ({ default: (await import('sonner')).Toaster }));

const OFFSET = { top: '3.5rem' };

/** Shows toasts, also those from before it was loaded. */
export function Toaster() {
  const appearance = useCell(shownAppearance);
  const [wanted, setWanted] = useState(false);
  useEffect(() => whenIdle(() => setWanted(true)), []);
  if (!wanted) return null;
  return (
    <Suspense>
      {/* Below the header: at the bottom, toasts would cover Send or the user menu. */}
      <Toasts
        theme={appearance}
        position="top-center"
        offset={OFFSET}
        mobileOffset={OFFSET}
        closeButton
      />
    </Suspense>
  );
}
