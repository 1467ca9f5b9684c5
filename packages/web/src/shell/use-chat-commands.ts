import type { Chat } from '@chatd/protocol';
import { type ChatActions, useChatActions } from '../state/chats/chat-actions.ts';
import { openSharing } from '../sharing/sharing-state.ts';
import { isOwn } from '../state/access.ts';
import { type Command, useCommands } from '../state/commands.ts';
import { movingChat } from '../state/projects.ts';

interface HeaderMoves {
  readonly rename: () => void;
  readonly labels: () => void;
  readonly togglePanel: () => void;
}

export function useChatCommands(chat: Chat, moves: HeaderMoves): ChatActions {
  const actions = useChatActions();
  useCommands([
    ...(isOwn(chat) ? ownerCommands(chat, actions, moves) : []),
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
    {
      id: 'toggle-panel',
      title: 'Toggle side panel',
      group: 'View',
      keys: 'mod+.',
      words: 'details changes files terminal',
      run: moves.togglePanel,
    },
  ]);
  return actions;
}

function ownerCommands(chat: Chat, actions: ChatActions, moves: HeaderMoves): readonly Command[] {
  const isRoot = chat.parent_chat_id === undefined;
  return [
    {
      id: 'rename-chat',
      title: 'Rename chat',
      group: 'This chat',
      keys: 'f2',
      words: 'title name',
      run: moves.rename,
    },
    {
      id: 'regenerate-title',
      title: 'Regenerate title',
      group: 'This chat',
      words: 'rename title',
      run: () => void actions.regenerateTitle(chat),
    },
    {
      id: 'label-chat',
      title: 'Edit labels',
      group: 'This chat',
      words: 'tags',
      run: moves.labels,
    },
    ...(isRoot ? [moveCommand(chat), shareCommand(chat)] : []),
    ...(isRoot && !chat.archived ? [pinCommand(chat, actions)] : []),
    {
      id: 'fork-chat',
      title: 'Fork chat',
      group: 'This chat',
      words: 'copy branch duplicate',
      run: () => void actions.fork(chat),
    },
    ...(isRoot ? leavingCommands(chat, actions) : []),
  ];
}

const shareCommand = ({ id }: Chat): Command => ({
  id: 'share-chat',
  title: 'Share chat',
  group: 'This chat',
  words: 'people users groups link access',
  run: () => openSharing(id),
});

const moveCommand = ({ id }: Chat): Command => ({
  id: 'move-chat',
  title: 'Move to project',
  group: 'This chat',
  words: 'folder',
  run: () => movingChat.set(id),
});

const pinCommand = (chat: Chat, actions: ChatActions): Command => ({
  id: 'pin-chat',
  title: chat.pin_order > 0 ? 'Unpin chat' : 'Pin chat',
  group: 'This chat',
  words: 'favorite star top',
  run: () => void (chat.pin_order > 0 ? actions.unpin(chat) : actions.pin(chat)),
});

const leavingCommands = (chat: Chat, actions: ChatActions): readonly Command[] => [
  {
    id: 'archive-chat',
    title: chat.archived ? 'Unarchive chat' : 'Archive chat',
    group: 'This chat',
    words: 'hide restore unarchive',
    run: () => void (chat.archived ? actions.unarchive(chat) : actions.archive(chat)),
  },
  {
    id: 'delete-chat',
    title: 'Delete chat',
    group: 'This chat',
    words: 'remove trash',
    run: () => void actions.delete(chat),
  },
];
