import type { Chat } from '@chatd/protocol';
import { type ComponentType, lazy } from 'react';
import { isOwn } from '../state/access.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';

export interface PanelTabProps {
  readonly chat: Chat;
  readonly store: ChatStore;
}

export interface PanelTab {
  readonly id: string;
  readonly title: string;
  /** Whether this chat and user have the tab. */
  readonly when: (context: { readonly chat: Chat; readonly admin: boolean }) => boolean;
  /** Loaded when first shown. */
  readonly View: ComponentType<PanelTabProps>;
}

/** The tabs in display order. */
export const PANEL_TABS: readonly PanelTab[] = [
  {
    id: 'changes',
    title: 'Changes',
    when: () => true,
    View: lazy(() => import('./changes/changes.tsx')),
  },
  {
    id: 'git',
    title: 'Git',
    when: () => true,
    View: lazy(() => import('./git/git.tsx')),
  },
  {
    id: 'terminal',
    title: 'Terminal',
    when: ({ chat }) => chat.role !== 'viewer',
    View: lazy(() => import('./terminal/terminal.tsx')),
  },
  {
    id: 'desktop',
    title: 'Desktop',
    when: () => true,
    View: lazy(() => import('../desktop/desktop.tsx')),
  },
  {
    id: 'files',
    title: 'Files',
    when: () => true,
    View: lazy(() => import('./files/files.tsx')),
  },
  {
    id: 'ports',
    title: 'Ports',
    when: ({ chat }) => isOwn(chat),
    View: lazy(() => import('./ports/ports.tsx')),
  },
  {
    id: 'details',
    title: 'Details',
    when: () => true,
    View: lazy(() => import('./details/details.tsx')),
  },
  {
    id: 'debug',
    title: 'Debug',
    when: ({ chat, admin }) => admin && isOwn(chat),
    View: lazy(() => import('./debug/debug.tsx')),
  },
];
