import { Menu as MenuIcon } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'wouter';
import { ConnectionNotice } from './connection-notice.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { useCell } from '../state/cell.ts';
import { useAttention } from '../state/chats/use-attention.ts';
import { useCommands } from '../state/commands.ts';
import { SIDEBAR_WIDTH, sidebarDrawer, sidebarShown, sidebarWidth } from '../state/layout.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useWide } from '../ui/use-wide.ts';
import { ResizeHandle } from './resize-handle.tsx';

/** The frame of every page. The chat list is beside the page on wide screens and a drawer on narrow ones. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const wide = useWide();
  const shown = useCell(sidebarShown);
  const width = useCell(sidebarWidth);
  const toggle = wide ? () => sidebarShown.update((on) => !on) : openDrawer;
  useAttention();
  useCommands([
    {
      id: 'toggle-sidebar',
      title: 'Toggle chat list',
      group: 'View',
      keys: 'mod+b',
      run: toggle,
    },
  ]);
  return (
    <div className="flex h-full bg-backdrop">
      <a
        href="#main"
        className="sr-only z-50 rounded-lg bg-raised px-3 py-2 focus:not-sr-only focus:absolute focus:m-2"
      >
        Skip to chat
      </a>
      {wide && shown && (
        <>
          <aside className="shrink-0" style={{ width }}>
            <Sidebar />
          </aside>
          <ResizeHandle
            label="Resize chat list"
            width={sidebarWidth}
            limits={SIDEBAR_WIDTH}
            paneIs="left"
            isHidden
          />
        </>
      )}
      {!wide && <SidebarDrawer />}
      <div
        id="main"
        tabIndex={-1}
        className={cx(
          'flex min-w-0 flex-1 flex-col overflow-hidden bg-background outline-none md:my-2 md:me-2 md:rounded-xl md:border md:border-line',
          !shown && 'md:ms-2',
        )}
      >
        <ConnectionNotice />
        {children}
      </div>
    </div>
  );
}

const openDrawer = () => sidebarDrawer.set(true);

/** Opens the drawer on narrow screens. Every page header starts with it. */
export function SidebarToggle() {
  const wide = useWide();
  const shown = useCell(sidebarShown);
  if (wide && shown) return null;
  return (
    <IconButton
      label="Show chat list"
      keys="mod+b"
      onClick={wide ? () => sidebarShown.set(true) : openDrawer}
    >
      <MenuIcon />
    </IconButton>
  );
}

function SidebarDrawer() {
  const open = useCell(sidebarDrawer);
  const [location] = useLocation();
  useEffect(() => sidebarDrawer.set(false), [location]);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => sidebarDrawer.set(next)}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade fixed inset-0 z-30 bg-black/45" />
        <Dialog.Content
          aria-describedby={undefined}
          className="slide fixed inset-y-0 left-0 z-30 w-[min(20rem,85vw)] border-r border-line bg-backdrop shadow-pop"
        >
          <Dialog.Title className="sr-only">Chats</Dialog.Title>
          <Sidebar />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
