import { useAccess } from '../state/access.ts';
import { useCell } from '../state/cell.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { type Command, useCommands } from '../state/commands.ts';
import { findOpen } from './find/find-state.ts';
import { GO_TO_REQUEST, jumpToRequest, jumpToUser } from './jump.ts';
import { edit } from './parts/user-message.tsx';
import { textsOf } from './rows/turn.ts';
import { regenerate } from './versions/regenerate.tsx';
import type { Viewport } from './viewport/viewport.ts';

export const PREVIOUS_KEYS = 'alt+arrowup';
export const NEXT_KEYS = 'alt+arrowdown';
const END_KEYS = 'alt+end';

interface Open {
  readonly chatId: string;
  readonly store: ChatStore;
  readonly viewport: Viewport;
}

export function useTimelineCommands({ chatId, store, viewport }: Open): void {
  const access = useAccess();
  const actions = useChatActions();
  const { chats } = useChatList();
  const now = () => chats.get().get(chatId);
  const last = (role: 'user' | 'assistant') =>
    store.messages.get().findLast((message) => message.role === role);
  const asks = useCell(store.awaited).some(({ kind }) => kind !== 'dynamic');
  const editing: readonly Command[] = [
    {
      id: 'timeline-edit',
      title: 'Edit my last message',
      group: 'This chat',
      run: () => {
        const message = last('user');
        if (message !== undefined && now()?.archived === false) edit(chatId, message);
      },
    },
    {
      id: 'timeline-regenerate',
      title: 'Regenerate last answer',
      group: 'This chat',
      words: 'retry again version',
      run: () => {
        const message = last('user');
        if (message !== undefined && now()?.archived === false) {
          void regenerate(chatId, message.id);
        }
      },
    },
  ];
  const forking: Command = {
    id: 'timeline-fork',
    title: 'Fork from last answer',
    group: 'This chat',
    words: 'branch copy',
    run: () => {
      const message = store.messages.get().at(-1);
      const chat = now();
      if (message !== undefined && chat !== undefined) void actions.fork(chat, message.id);
    },
  };
  useCommands([
    ...(asks
      ? [
          {
            id: GO_TO_REQUEST,
            title: 'Go to pending request',
            group: 'This chat' as const,
            words: 'approval question answer',
            run: () => jumpToRequest(store, viewport),
          },
        ]
      : []),
    {
      id: 'timeline-previous',
      title: 'Go to my previous message',
      group: 'This chat',
      keys: PREVIOUS_KEYS,
      run: () => jumpToUser(store, viewport, -1),
    },
    {
      id: 'timeline-next',
      title: 'Go to my next message',
      group: 'This chat',
      keys: NEXT_KEYS,
      run: () => jumpToUser(store, viewport, 1),
    },
    {
      id: 'timeline-end',
      title: 'Jump to latest message',
      group: 'This chat',
      keys: END_KEYS,
      run: viewport.toEnd,
    },
    {
      id: 'timeline-start',
      title: 'Jump to first message',
      group: 'This chat',
      run: () => viewport.toRow('start', 0),
    },
    {
      id: 'timeline-copy',
      title: 'Copy last answer',
      group: 'This chat',
      run: () => {
        const message = last('assistant');
        if (message !== undefined)
          void navigator.clipboard.writeText(textsOf(message).join('\n\n'));
      },
    },
    ...(access === 'viewer' ? [] : editing),
    ...(access === 'owner' ? [forking] : []),
    {
      id: 'timeline-find',
      title: 'Find in this chat',
      group: 'This chat',
      words: 'search text',
      keys: 'mod+f',
      run: () => findOpen.set(true),
    },
  ]);
}
