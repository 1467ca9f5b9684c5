import { lazy, Suspense, useEffect } from 'react';
import { useLocation } from 'wouter';
import { session } from '../api/session.ts';
import { useCell } from '../state/cell.ts';
import { whenIdle } from '../state/chat/idle.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { deletedChats } from '../state/chats/deleted-chats.ts';
import { useCommands } from '../state/commands.ts';
import { newProject } from '../state/projects.ts';
import { closePalette, openKeyboardHelp, openPalette, shownPalette } from './palette-state.ts';

const loadCommands = () => import('./command-dialog.tsx');
const CommandDialog = lazy(loadCommands);
const KeyboardHelp = lazy(() => import('./keyboard-help.tsx'));

/** The palette is loaded after the page itself. */
export function Palette() {
  // Loaded before it is opened, so that text typed right after the shortcut goes to the palette and not to the
  // composer.
  useEffect(() => whenIdle(() => void loadCommands().catch(() => undefined)), []);
  const shown = useCell(shownPalette);
  const deleted = useCell(deletedChats);
  const actions = useChatActions();
  const [, go] = useLocation();
  useCommands([
    {
      id: 'new-chat',
      title: 'New chat',
      group: 'Chats',
      keys: 'mod+shift+o',
      words: 'start create begin',
      run: () => go('/'),
    },
    {
      id: 'new-project',
      title: 'New project',
      group: 'Chats',
      words: 'folder create',
      run: () => newProject.set({}),
    },
    {
      id: 'palette',
      title: 'Command palette',
      group: 'Help',
      keys: 'mod+k',
      always: true,
      unlisted: true,
      run: () => (shownPalette.get() === 'commands' ? closePalette() : openPalette()),
    },
    {
      id: 'keyboard',
      title: 'Keyboard shortcuts',
      group: 'Help',
      keys: '?',
      words: 'shortcuts keys hotkeys help',
      run: openKeyboardHelp,
    },
    {
      id: 'api-docs',
      title: 'API documentation',
      group: 'Help',
      words: 'docs reference openapi',
      run: () => window.open('/docs', '_blank', 'noopener,noreferrer'),
    },
    {
      id: 'sign-out',
      title: 'Sign out',
      group: 'Settings',
      words: 'log out leave',
      run: () => void session.signOut(),
    },
    ...deleted.map((chat) => ({
      id: `restore-${chat.id}`,
      title: `Restore deleted chat “${chat.title}”`,
      group: 'Chats' as const,
      words: 'undo undelete bring back',
      run: () => void actions.restore(chat, { show: true }),
    })),
  ]);
  return (
    <Suspense>
      {shown === 'commands' && <CommandDialog />}
      {shown === 'keyboard' && <KeyboardHelp />}
    </Suspense>
  );
}
