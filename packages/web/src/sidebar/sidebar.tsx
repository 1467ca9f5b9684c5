import { Link } from 'wouter';
import { useCell } from '../state/cell.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';

export function Sidebar() {
  const chats = useCell(useChatList().chats);
  return (
    <nav aria-label="Chats" className="flex h-full flex-col gap-1 overflow-y-auto p-2">
      <Link href="/" className="rounded-lg px-2 py-1 hover:bg-hover">
        New chat
      </Link>
      {[...chats.values()].map((chat) => (
        <Link
          key={chat.id}
          href={`/chats/${chat.id}`}
          className="truncate rounded-lg px-2 py-1 hover:bg-hover"
        >
          {chat.title}
        </Link>
      ))}
    </nav>
  );
}
