import type { Chat } from '@chatd/protocol';
import { panelFull, panelTab } from '../state/layout.ts';
import { type Command, useCommands } from '../state/commands.ts';
import { PANEL_TABS } from './tabs.ts';

/** A command for each tab, also while the panel is closed. */
export function PanelCommands({ chat, admin }: { readonly chat: Chat; readonly admin: boolean }) {
  const offered = PANEL_TABS.filter(({ when }) => when({ chat, admin }));
  useCommands([
    ...offered.map(({ id, title }): Command => ({
      id: `panel-${id}`,
      title: `Side panel: ${title.toLowerCase()}`,
      group: 'View',
      run: () => panelTab.set(id),
    })),
    {
      id: 'panel-full',
      title: 'Expand or restore side panel',
      group: 'View',
      words: 'width full screen maximize',
      run: () => panelFull.update((full) => !full),
    },
  ]);
  return null;
}
