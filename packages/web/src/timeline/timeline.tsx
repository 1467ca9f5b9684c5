import type { Chat } from '@chatd/protocol';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import type { LivePart } from '../state/chat/live-parts.ts';

export interface TimelineProps {
  readonly chat: Chat;
  readonly store: ChatStore;
}

export function Timeline({ store }: TimelineProps) {
  const messages = useCell(store.messages);
  const live = useCell(store.live.list);
  return (
    <div className="h-full overflow-y-auto p-4">
      {messages.map((message) => (
        <pre key={message.id} className="whitespace-pre-wrap">
          {JSON.stringify(message.content, null, 1)}
        </pre>
      ))}
      {live.map((part) => (
        <Live key={part.key} part={part} />
      ))}
    </div>
  );
}

function Live({ part }: { readonly part: LivePart }) {
  return <pre className="whitespace-pre-wrap">{JSON.stringify(useCell(part.part))}</pre>;
}
