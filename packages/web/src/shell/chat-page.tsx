import { ChatdProblem } from '@chatd/client';
import { useEffect, useRef, useState } from 'react';
import { explain } from '../api/explain.ts';
import type { Chat, User } from '@chatd/protocol';
import { AuthorsProvider } from '../sharing/authors.tsx';
import { Composer } from '../composer/composer.tsx';
import { PanelCommands } from '../panel/panel-commands.tsx';
import { Panel } from '../panel/panel.tsx';
import { AccessProvider, accessTo } from '../state/access.ts';
import { useCell } from '../state/cell.ts';
import { useChatStore } from '../state/chat/open-chats.ts';
import { ReadMarks } from '../state/chats/read-marks.tsx';
import { useChat, useChatList } from '../state/chats/use-chat-list.ts';
import { PANEL_WIDTH, panelFull, panelTab, panelWidth } from '../state/layout.ts';
import { usePageTitle } from '../state/page-title.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useWide } from '../ui/use-wide.ts';
import { ChatHeader } from './chat-header.tsx';
import { NotFound } from './not-found.tsx';
import { ResizeHandle } from './resize-handle.tsx';

export default function ChatPage({
  chatId,
  user,
}: {
  readonly chatId: string;
  readonly user: User;
}) {
  const chat = useChat(chatId);
  const store = useChatStore(chatId);
  const wide = useWide();
  const panel = useCell(panelTab) !== null;
  const width = useCell(panelWidth);
  const covers = useCell(panelFull) || !wide;
  const problem = useProblemOfLoading(chatId, chat);
  usePageTitle(chat?.title);

  if (problem !== undefined) return <NotFound title={problem.title} reason={problem.reason} />;
  if (chat === undefined || store === undefined) {
    return <Spinner label="Loading chat" className="m-auto size-6" />;
  }
  return (
    <AccessProvider value={accessTo(chat)}>
      <ChatHeader chat={chat} store={store} />
      <ReadMarks chat={chat} store={store} />
      <PanelCommands chat={chat} admin={user.role === 'admin'} />
      <div className="relative flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col" inert={panel && covers}>
          <AuthorsProvider store={store}>
            <main aria-label="Conversation" className="min-h-0 flex-1">
              <Timeline chatId={chatId} store={store} />
            </main>
            <Composer chat={chat} store={store} />
          </AuthorsProvider>
        </div>
        {panel && !covers && (
          <ResizeHandle
            label="Resize side panel"
            width={panelWidth}
            limits={PANEL_WIDTH}
            paneIs="right"
          />
        )}
        {panel && (
          <div
            className={covers ? 'absolute inset-0 z-20' : 'shrink-0'}
            // Leaves room for the chat.
            style={covers ? undefined : { width: `min(${width}px, calc(100% - 22rem))` }}
          >
            <Panel chat={chat} store={store} admin={user.role === 'admin'} />
          </div>
        )}
      </div>
    </AccessProvider>
  );
}

/**
 * A chat that is not in the list may be old, archived or missing. A chat may also be deleted, or no longer be shared, while
 * it is open.
 */
function useProblemOfLoading(chatId: string, chat: Chat | undefined): Problem | undefined {
  const list = useChatList();
  const missing = chat === undefined;
  const owner = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (chat !== undefined) owner.current = chat.owner_name;
  }, [chat]);
  const [problem, setProblem] = useState<Problem & { chatId: string }>();
  useEffect(() => list.hold(chatId), [list, chatId]);
  useEffect(() => {
    let left = false;
    if (missing) {
      list.load(chatId).catch((error: unknown) => {
        if (!left) setProblem({ chatId, ...problemOf(error, owner.current) });
      });
    } else setProblem(undefined);
    return () => {
      left = true;
    };
  }, [list, chatId, missing]);
  return missing && problem?.chatId === chatId ? problem : undefined;
}

interface Problem {
  readonly title: string;
  readonly reason: string;
}

/** `owner`: who shared the chat that was shown until now. */
function problemOf(error: unknown, owner: string | undefined): Problem {
  // An id that is not a UUID is refused with 400.
  if (!(error instanceof ChatdProblem) || (error.status !== 404 && error.status !== 400)) {
    return { title: 'The chat could not be loaded', reason: explain(error) };
  }
  return owner === undefined
    ? {
        title: 'Chat not found',
        reason: 'The chat was deleted, belongs to another user, or the link to it is incomplete.',
      }
    : {
        title: 'This chat is no longer shared with you',
        reason: `The chat was deleted, or your access has ended. Ask its owner, ${owner}, to share it again.`,
      };
}
