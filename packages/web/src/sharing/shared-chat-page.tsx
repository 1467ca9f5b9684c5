import { ChatdProblem } from '@chatd/client';
import type { Chat } from '@chatd/protocol';
import { useEffect, useState } from 'react';
import type { ChatLink } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { AccessProvider } from '../state/access.ts';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { useChatStore } from '../state/chat/open-chats.ts';
import { ChatList } from '../state/chats/chat-list.ts';
import { ChatListProvider } from '../state/chats/use-chat-list.ts';
import { usePageTitle } from '../state/page-title.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Logo } from '../ui/logo.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { AuthorsProvider } from './authors.tsx';

/** A chat as everyone with its link sees it: read-only, live, without an account. */
export default function SharedChatPage({ link }: { readonly link: ChatLink }) {
  const [list] = useState(() => new ChatList());
  const [chat, setChat] = useState<Chat>();
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    list.load(link.chatId).then(setChat, setProblem);
  }, [list, link]);
  // Without it, the page of another link would show this chat.
  useEffect(() => {
    const reload = () => location.reload();
    addEventListener('hashchange', reload);
    return () => removeEventListener('hashchange', reload);
  }, []);
  usePageTitle(chat?.title);
  if (problem !== undefined || link.secret === '') return <NoAccess problem={problem} />;
  if (chat === undefined) return <Spinner label="Loading chat" className="m-8" />;
  return (
    <ChatListProvider value={list}>
      <AccessProvider value="viewer">
        <OpenChat chat={chat} onEnd={setProblem} />
      </AccessProvider>
    </ChatListProvider>
  );
}

function OpenChat({
  chat,
  onEnd,
}: {
  readonly chat: Chat;
  readonly onEnd: (problem: unknown) => void;
}) {
  const store = useChatStore(chat.id);
  return (
    <div className="flex h-full flex-col bg-background">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
        <Logo className="size-6 shrink-0" />
        <h1 dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          {chat.title}
        </h1>
        <p className="shrink-0 text-sm text-muted">Shared, read-only</p>
      </header>
      <main aria-label="Conversation" className="min-h-0 flex-1">
        {store !== undefined && (
          <AuthorsProvider store={store}>
            <Timeline chatId={chat.id} store={store} />
            <Ending store={store} onEnd={onEnd} />
          </AuthorsProvider>
        )}
      </main>
    </div>
  );
}

/** The link was revoked, or has expired. */
function Ending({
  store,
  onEnd,
}: {
  readonly store: ChatStore;
  readonly onEnd: (problem: unknown) => void;
}) {
  const ended = useCell(store.ended);
  useEffect(() => {
    if (ended !== undefined) onEnd(ended);
  }, [ended, onEnd]);
  return null;
}

function NoAccess({ problem }: { readonly problem: unknown }) {
  const isRefused = problem === undefined || problem instanceof ChatdProblem;
  const title = isRefused ? 'This link does not work' : 'The chat could not be loaded';
  usePageTitle(title);
  return (
    <main className="m-auto max-w-md p-8 text-center" role="alert">
      <h1 className="text-2xl font-semibold">{title}</h1>
      <p className="mt-2 text-balance text-muted">
        {isRefused
          ? 'It was revoked, has expired, or is incomplete. Ask the person who sent it for a new one.'
          : explain(problem)}
      </p>
    </main>
  );
}
