import { Maximize2, Minimize2, X } from 'lucide-react';
import { type KeyboardEvent, Suspense, useEffect, useId, useRef } from 'react';
import { useCell } from '../state/cell.ts';
import { type Command, useCommands } from '../state/commands.ts';
import { panelFull, panelTab } from '../state/layout.ts';
import { unlessUnsaved } from '../state/unsaved.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useWide } from '../ui/use-wide.ts';
import { PanelFault } from './panel-fault.tsx';
import { PANEL_TABS, type PanelTabProps } from './tabs.ts';

const CLOSE: Command = {
  id: 'close-panel',
  title: 'Close side panel',
  group: 'View',
  keys: 'escape',
  unlisted: true,
  run: () => panelTab.set(null),
};

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Shown while `panelTab` is set: beside the timeline on wide screens, over it on narrow ones. */
export function Panel({ chat, store, admin }: PanelTabProps & { readonly admin: boolean }) {
  const shown = useCell(panelTab);
  const wide = useWide();
  const full = useCell(panelFull);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const offered = PANEL_TABS.filter(({ when }) => when({ chat, admin }));
  const tab = offered.find((one) => one.id === shown) ?? offered[0];
  const current = tab?.id;
  useCommands(wide ? [] : [CLOSE]);
  useEffect(() => {
    // A panel that covers the chat takes the focus; one beside it does not.
    if (!wide) focusTab(list.current);
  }, [wide]);
  useEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  if (shown === null || tab === undefined) return null;
  const go = (to: number) => {
    const next = offered[(to + offered.length) % offered.length];
    if (next === undefined) return;
    unlessUnsaved(() => {
      panelTab.set(next.id);
      requestAnimationFrame(() => focusTab(list.current));
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = offered.indexOf(tab);
    if (event.key in STEPS) go(at + (STEPS[event.key] ?? 0));
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(offered.length - 1);
    else return;
    event.preventDefault();
  };
  return (
    <section aria-label="Side panel" className="flex h-full min-w-0 flex-col bg-background">
      <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2">
        <div
          ref={list}
          role="tablist"
          aria-label="Side panel"
          // Tabs beyond the edges fade out.
          className="-ml-2 flex min-w-0 flex-1 scroll-px-3 gap-1 overflow-x-auto mask-x-from-[calc(100%-0.75rem)] px-3 py-1"
        >
          {offered.map(({ id: key, title }) => (
            <button
              key={key}
              type="button"
              role="tab"
              id={`${id}-${key}`}
              aria-selected={key === tab.id}
              aria-controls={`${id}-panel`}
              tabIndex={key === tab.id ? 0 : -1}
              className={cx(
                'shrink-0 rounded-lg px-2.5 py-1 text-muted hover:bg-hover',
                key === tab.id && 'bg-selected text-text',
              )}
              onClick={() => unlessUnsaved(() => panelTab.set(key))}
              onKeyDown={onKeyDown}
            >
              {title}
            </button>
          ))}
        </div>
        {wide && (
          <IconButton
            label={full ? 'Show chat beside panel' : 'Expand side panel'}
            size="small"
            onClick={() => panelFull.set(!full)}
          >
            {full ? <Minimize2 /> : <Maximize2 />}
          </IconButton>
        )}
        <IconButton
          label="Close side panel"
          keys="mod+."
          size="small"
          onClick={() => unlessUnsaved(() => panelTab.set(null))}
        >
          <X />
        </IconButton>
      </header>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${tab.id}`}
        className="min-h-0 flex-1 overflow-y-auto"
      >
        <PanelFault key={tab.id}>
          <Suspense fallback={<Spinner label="Loading" className="m-4" />}>
            <tab.View chat={chat} store={store} />
          </Suspense>
        </PanelFault>
      </div>
    </section>
  );
}

function focusTab(list: HTMLElement | null): void {
  list?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
}
