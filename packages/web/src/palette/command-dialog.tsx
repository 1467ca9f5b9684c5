import { Command as Cmdk } from 'cmdk';
import { MessageSquare, Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Highlighted } from '../sidebar/rows/highlighted.tsx';
import { Snippet } from '../sidebar/rows/snippet.tsx';
import { StatusMark } from '../sidebar/rows/status-mark.tsx';
import { ChatSearch, type Found } from '../sidebar/chat-search.ts';
import { useCell } from '../state/cell.ts';
import { CHAT_STATE_TEXT, stateOf } from '../state/chats/chat-state.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { commands } from '../state/commands.ts';
import { messagePath } from '../state/message-link.ts';
import { Keys } from '../ui/keys.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { findCommands } from './command-search.ts';
import { closePalette } from './palette-state.ts';
import { recentChats } from './recent-chats.ts';

const ITEM =
  'flex min-h-9 cursor-default items-center gap-3 rounded-lg px-3 py-1.5 select-none data-[selected=true]:bg-selected [&_svg]:size-4 [&_svg]:shrink-0';
const GROUP =
  '[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-muted';

export default function CommandDialog() {
  const list = useChatList();
  const [search] = useState(() => new ChatSearch(list));
  const text = useCell(search.text);
  const found = useCell(search.found);
  const chats = useCell(list.chats);
  const offered = useCell(commands).filter(({ unlisted }) => unlisted !== true);
  const ids = found?.ids ?? recentChats(chats, location.pathname);
  return (
    <Dialog.Root open onOpenChange={closePalette}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[max(1rem,12dvh)] left-1/2 z-40 flex max-h-[min(32rem,calc(100dvh-2rem))] w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-2xl border border-line bg-raised shadow-pop"
        >
          <Dialog.Title className="sr-only">Command palette</Dialog.Title>
          <Cmdk label="Command palette" loop shouldFilter={false} className="flex min-h-0 flex-col">
            <div className="flex items-center gap-2 border-b border-line px-4">
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
              <Cmdk.Input
                value={text}
                onValueChange={search.look}
                placeholder="Search commands and chats"
                className="h-12 min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
              />
              {found !== null && !found.ended && <Spinner className="size-4" />}
            </div>
            <Cmdk.List
              label="Commands and chats"
              className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-2"
            >
              {found === null && <ChatGroup heading="Recent chats" ids={ids} words="" />}
              {findCommands(offered, text).map(([group, members]) => (
                <Cmdk.Group key={group} heading={group} className={GROUP}>
                  {members.map((command) => (
                    <Cmdk.Item
                      key={command.id}
                      value={`command-${command.id}`}
                      className={ITEM}
                      onSelect={() => run(command.run)}
                    >
                      <span dir="auto" className="min-w-0 flex-1 truncate">
                        {command.title}
                      </span>
                      {command.keys !== undefined && <Keys keys={command.keys} />}
                    </Cmdk.Item>
                  ))}
                </Cmdk.Group>
              ))}
              {found !== null && (
                <ChatGroup heading="Chats" ids={ids} words={found.text} matches={found.matches} />
              )}
              <Cmdk.Empty className="px-3 py-6 text-center text-muted">
                {found !== null && !found.ended
                  ? 'Searching chats…'
                  : (found?.error ?? 'No matching commands or chats')}
              </Cmdk.Empty>
            </Cmdk.List>
          </Cmdk>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ChatGroupProps {
  readonly heading: string;
  readonly ids: readonly string[];
  readonly words: string;
  readonly matches?: Found['matches'];
}

function ChatGroup({ heading, ids, words, matches }: ChatGroupProps) {
  const chats = useCell(useChatList().chats);
  const [, go] = useLocation();
  if (ids.length === 0) return null;
  return (
    <Cmdk.Group heading={heading} className={GROUP}>
      {ids.map((id) => {
        const chat = chats.get(id);
        if (chat === undefined) return null;
        const state = stateOf(chat);
        const match = matches?.get(id);
        return (
          <Cmdk.Item
            key={id}
            value={`chat-${id}`}
            className={ITEM}
            onSelect={() =>
              run(() =>
                go(
                  match?.message_id === undefined
                    ? `/chats/${id}`
                    : messagePath(id, match.message_id),
                ),
              )
            }
          >
            {state === 'idle' ? (
              <MessageSquare aria-hidden className="text-muted" />
            ) : (
              <StatusMark state={state} />
            )}
            <span className="min-w-0 flex-1">
              <span dir="auto" className="block truncate">
                <Highlighted text={chat.title} words={words} />
              </span>
              {match !== undefined && (
                <span dir="auto" className="line-clamp-2 text-sm text-muted">
                  <Snippet match={match} />
                </span>
              )}
            </span>
            <span className="text-sm text-muted">
              {chat.archived ? 'Archived' : state === 'idle' ? '' : CHAT_STATE_TEXT[state]}
            </span>
          </Cmdk.Item>
        );
      })}
    </Cmdk.Group>
  );
}

/** Runs after the dialog has returned the focus, because the command may move it. */
function run(work: () => void): void {
  closePalette();
  setTimeout(work);
}
