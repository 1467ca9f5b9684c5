import { lazy, Suspense, useEffect, useState } from 'react';
import { shownAppearance } from '../state/appearance.ts';
import { useCell } from '../state/cell.ts';
import { whenIdle } from '../state/chat/idle.ts';
import { panelTab } from '../state/layout.ts';

const Toasts = lazy(async () => ({ default: (await import('sonner')).Toaster }));

const BELOW_HEADER = { top: '3.5rem' };
const BELOW_TABS = { top: '6.5rem' };

/** Shows toasts, also those from before it was loaded. */
export function Toaster() {
  const appearance = useCell(shownAppearance);
  const offset = useCell(panelTab) === null ? BELOW_HEADER : BELOW_TABS;
  const [wanted, setWanted] = useState(false);
  useEffect(() => whenIdle(() => setWanted(true)), []);
  if (!wanted) return null;
  return (
    <Suspense>
      {/* At the bottom, toasts would cover Send or the user menu. */}
      <Toasts
        theme={appearance}
        position="top-center"
        offset={offset}
        mobileOffset={offset}
        closeButton
      />
    </Suspense>
  );
}
