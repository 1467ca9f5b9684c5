import type { Chat } from '@chatd/protocol';
import { type ComponentType, lazy } from 'react';
import type { ChatStore } from '../state/chat/chat-store.ts';

export interface PanelTabProps {
  readonly chat: Chat;
  readonly store: ChatStore;
}

export interface PanelTab {
  readonly id: string;
  readonly title: string;
  /** Whether it is offered for this chat and this person. */
  readonly when: (context: { readonly chat: Chat; readonly admin: boolean }) => boolean;
  /** Loaded when it is first shown. */
  readonly View: ComponentType<PanelTabProps>;
}

/** What the side panel can show, in this order. */
export const PANEL_TABS: readonly PanelTab[] = [
  {
    id: 'details',
    title: 'Details',
    when: () => true,
    View: lazy(() => import('./details.tsx')),
  },
];
