import type { Chat } from '@chatd/protocol';
import { panelTab } from '../state/layout.ts';
import { useCommands } from '../state/commands.ts';
import { PANEL_TABS } from './tabs.ts';

/** A command for each tab, also while the panel is closed. */
export function PanelCommands({ chat, admin }: { readonly chat: Chat; readonly admin: boolean }) {
  const offered = PANEL_TABS.filter(({ when }) => when({ chat, admin }));
  useCommands(
    offered.map(({ id, title }) => ({
      id: `panel-${id}`,
      title: `Side panel: ${title.toLowerCase()}`,
      group: 'View',
      run: () => panelTab.set(id),
    })),
  );
  return null;
}
