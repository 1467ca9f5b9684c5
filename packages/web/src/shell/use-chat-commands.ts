import type { Chat } from '@chatd/protocol';
import { type ChatActions, useChatActions } from '../state/chats/chat-actions.ts';
import { type Command, useCommands } from '../state/commands.ts';

interface HeaderMoves {
  readonly rename: () => void;
  readonly labels: () => void;
  readonly togglePanel: () => void;
}

/** What can be done with the chat that is open, for the palette and the keyboard. */
export function useChatCommands(chat: Chat, moves: HeaderMoves): ChatActions {
  const actions = useChatActions();
  const isRoot = chat.parent_chat_id === undefined;
  useCommands([
    {
      id: 'rename-chat',
      title: 'Rename this chat',
      group: 'This chat',
      keys: 'f2',
      words: 'title name',
      run: moves.rename,
    },
    {
      id: 'regenerate-title',
      title: 'Find another title',
      group: 'This chat',
      words: 'regenerate rename',
      run: () => void actions.regenerateTitle(chat),
    },
    {
      id: 'label-chat',
      title: 'Change the labels',
      group: 'This chat',
      words: 'tags',
      run: moves.labels,
    },
    ...(isRoot && !chat.archived ? [pinCommand(chat, actions)] : []),
    {
      id: 'fork-chat',
      title: 'Fork this chat',
      group: 'This chat',
      words: 'copy branch duplicate',
      run: () => void actions.fork(chat),
    },
    {
      id: 'export-markdown',
      title: 'Export as Markdown',
      group: 'This chat',
      words: 'download save',
      run: () => actions.export(chat, 'markdown'),
    },
    {
      id: 'export-json',
      title: 'Export as JSON',
      group: 'This chat',
      words: 'download save',
      run: () => actions.export(chat, 'json'),
    },
    ...(isRoot ? leavingCommands(chat, actions) : []),
    {
      id: 'toggle-panel',
      title: 'Show or hide the side panel',
      group: 'View',
      keys: 'mod+.',
      words: 'details changes files terminal',
      run: moves.togglePanel,
    },
  ]);
  return actions;
}

const pinCommand = (chat: Chat, actions: ChatActions): Command => ({
  id: 'pin-chat',
  title: chat.pin_order > 0 ? 'Unpin this chat' : 'Pin this chat',
  group: 'This chat',
  words: 'favourite star top',
  run: () => void (chat.pin_order > 0 ? actions.unpin(chat) : actions.pin(chat)),
});

const leavingCommands = (chat: Chat, actions: ChatActions): readonly Command[] => [
  {
    id: 'archive-chat',
    title: chat.archived ? 'Bring this chat back from the archive' : 'Archive this chat',
    group: 'This chat',
    words: 'hide away unarchive',
    run: () => void (chat.archived ? actions.unarchive(chat) : actions.archive(chat)),
  },
  {
    id: 'delete-chat',
    title: 'Delete this chat',
    group: 'This chat',
    words: 'remove trash',
    run: () => void actions.delete(chat),
  },
];
