import { PanelRight } from 'lucide-react';
import { useEffect, useState } from 'react';
import { explain } from '../api/explain.ts';
import type { User } from '@chatd/protocol';
import { Composer } from '../composer/composer.tsx';
import { Panel } from '../panel/panel.tsx';
import { useCell } from '../state/cell.ts';
import { useChatStore } from '../state/chat/open-chats.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { useCommands } from '../state/commands.ts';
import { panelTab } from '../state/layout.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useWide } from '../ui/use-wide.ts';
import { ConnectionNotice } from './connection-notice.tsx';
import { NotFound } from './not-found.tsx';
import { SidebarToggle } from './shell.tsx';

export function ChatPage({ chatId, user }: { readonly chatId: string; readonly user: User }) {
  const list = useChatList();
  const chat = useCell(list.chats).get(chatId);
  const store = useChatStore(chatId);
  const wide = useWide();
  const panel = useCell(panelTab) !== null;
  const problem = useProblemOfLoading(chatId);
  useCommands([
    {
      id: 'toggle-panel',
      title: 'Show or hide the side panel',
      group: 'View',
      keys: 'mod+shift+p',
      run: togglePanel,
    },
  ]);
  useDocumentTitle(chat?.title);

  if (problem !== undefined) return <NotFound reason={problem} />;
  if (chat === undefined || store === undefined) {
    return <Spinner label="Opening the chat" className="m-auto size-6" />;
  }
  return (
    <>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:px-4">
        <SidebarToggle />
        <h1 className="min-w-0 flex-1 truncate font-semibold">{chat.title}</h1>
        <IconButton
          label="Side panel"
          keys="mod+shift+p"
          aria-pressed={panel}
          onClick={togglePanel}
        >
          <PanelRight />
        </IconButton>
      </header>
      <ConnectionNotice socket={store.socket} />
      <div className="relative flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <main aria-label="Conversation" className="min-h-0 flex-1">
            <Timeline chat={chat} store={store} />
          </main>
          <Composer open={{ chat, store }} />
        </div>
        {panel && (
          <div
            className={cx(
              'border-l border-line',
              wide ? 'w-[min(44rem,45%)] shrink-0' : 'absolute inset-0 z-20',
            )}
          >
            <Panel chat={chat} store={store} admin={user.role === 'admin'} />
          </div>
        )}
      </div>
    </>
  );
}

const togglePanel = () => panelTab.update((tab) => (tab === null ? 'details' : null));

function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    document.title = `${title} · chatd`;
    return () => {
      document.title = 'chatd';
    };
  }, [title]);
}

/** A chat that the list has not named may be old, archived, or nobody's. */
function useProblemOfLoading(chatId: string): string | undefined {
  const list = useChatList();
  const [problem, setProblem] = useState<{ chatId: string; text: string }>();
  useEffect(() => {
    list.load(chatId).catch((error: unknown) => setProblem({ chatId, text: explain(error) }));
  }, [list, chatId]);
  return problem?.chatId === chatId ? problem.text : undefined;
}
