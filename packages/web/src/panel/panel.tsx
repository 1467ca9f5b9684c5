import { X } from 'lucide-react';
import { Suspense } from 'react';
import { useCell } from '../state/cell.ts';
import { panelTab } from '../state/layout.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { PANEL_TABS, type PanelTabProps } from './tabs.ts';

/** Shown beside the timeline while `panelTab` names one of its tabs. */
export function Panel({ chat, store, admin }: PanelTabProps & { readonly admin: boolean }) {
  const shown = useCell(panelTab);
  const offered = PANEL_TABS.filter(({ when }) => when({ chat, admin }));
  const tab = offered.find(({ id }) => id === shown) ?? offered[0];
  if (shown === null || tab === undefined) return null;
  return (
    <section aria-label="Side panel" className="flex h-full min-w-0 flex-col bg-background">
      <header className="flex h-12 items-center gap-1 border-b border-line px-2">
        <div
          role="tablist"
          aria-label="Side panel"
          className="flex min-w-0 flex-1 gap-1 overflow-x-auto"
        >
          {offered.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              aria-selected={id === tab.id}
              className={cx(
                'rounded-lg px-2.5 py-1 text-muted hover:bg-hover',
                id === tab.id && 'bg-selected text-text',
              )}
              onClick={() => panelTab.set(id)}
            >
              {title}
            </button>
          ))}
        </div>
        <IconButton label="Close the side panel" size="small" onClick={() => panelTab.set(null)}>
          <X />
        </IconButton>
      </header>
      <div role="tabpanel" aria-label={tab.title} className="min-h-0 flex-1 overflow-y-auto">
        <Suspense fallback={<Spinner label="Loading" className="m-4" />}>
          <tab.View chat={chat} store={store} />
        </Suspense>
      </div>
    </section>
  );
}
