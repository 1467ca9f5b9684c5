import type { Chat } from '@chatd/protocol';
import {
  Archive,
  ArchiveRestore,
  ArrowDown,
  ArrowUp,
  FileDown,
  Folder,
  GitFork,
  Link2,
  PencilLine,
  Pin,
  PinOff,
  Sparkles,
  Tags,
  Trash2,
  UserPlus,
} from 'lucide-react';
import { openSharing } from '../sharing/sharing-state.ts';
import { isOwn } from '../state/access.ts';
import { useCell } from '../state/cell.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { pinnedOf } from '../state/chats/list-order.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { movingChat } from '../state/projects.ts';
import { MenuItem, MenuLine } from '../ui/menu.tsx';
import { toast } from '../ui/toast.ts';

export interface ChatMenuProps {
  readonly chat: Chat;
  readonly onRename: () => void;
  readonly onLabels: () => void;
}

/** The actions of a chat, for the menus of its row and its header. */
export function ChatMenu(props: ChatMenuProps) {
  return isOwn(props.chat) ? <OwnerMenu {...props} /> : <CopyItems chat={props.chat} />;
}

function OwnerMenu({ chat, onRename, onLabels }: ChatMenuProps) {
  const actions = useChatActions();
  const isRoot = chat.parent_chat_id === undefined;
  return (
    <>
      <MenuItem icon={<PencilLine />} keys="f2" onSelect={onRename}>
        Rename
      </MenuItem>
      <MenuItem icon={<Sparkles />} onSelect={() => void actions.regenerateTitle(chat)}>
        Regenerate title
      </MenuItem>
      <MenuItem icon={<Tags />} onSelect={onLabels}>
        Labels…
      </MenuItem>
      {isRoot && (
        <>
          <MenuItem icon={<Folder />} onSelect={() => movingChat.set(chat.id)}>
            Move to project…
          </MenuItem>
          <MenuItem icon={<UserPlus />} onSelect={() => openSharing(chat.id)}>
            Share…
          </MenuItem>
        </>
      )}
      {isRoot && !chat.archived && <PinItems chat={chat} />}
      <MenuLine />
      <MenuItem icon={<GitFork />} onSelect={() => void actions.fork(chat)}>
        Fork
      </MenuItem>
      <CopyItems chat={chat} />
      {isRoot && (
        <>
          <MenuLine />
          {chat.archived ? (
            <MenuItem icon={<ArchiveRestore />} onSelect={() => void actions.unarchive(chat)}>
              Unarchive
            </MenuItem>
          ) : (
            <MenuItem icon={<Archive />} onSelect={() => void actions.archive(chat)}>
              Archive
            </MenuItem>
          )}
          <MenuItem icon={<Trash2 />} danger onSelect={() => void actions.delete(chat)}>
            Delete
          </MenuItem>
        </>
      )}
    </>
  );
}

function CopyItems({ chat }: { readonly chat: Chat }) {
  const actions = useChatActions();
  return (
    <>
      <MenuItem icon={<Link2 />} onSelect={() => void copyLink(chat)}>
        Copy link
      </MenuItem>
      <MenuItem icon={<FileDown />} onSelect={() => actions.export(chat, 'markdown')}>
        Export as Markdown
      </MenuItem>
      <MenuItem icon={<FileDown />} onSelect={() => actions.export(chat, 'json')}>
        Export as JSON
      </MenuItem>
    </>
  );
}

function PinItems({ chat }: { readonly chat: Chat }) {
  const actions = useChatActions();
  const pinned = pinnedOf(useCell(useChatList().chats));
  const position = pinned.findIndex(({ id }) => id === chat.id);
  if (position === -1) {
    return (
      <MenuItem icon={<Pin />} onSelect={() => void actions.pin(chat)}>
        Pin
      </MenuItem>
    );
  }
  return (
    <>
      <MenuItem icon={<PinOff />} onSelect={() => void actions.unpin(chat)}>
        Unpin
      </MenuItem>
      {position > 0 && (
        <MenuItem
          icon={<ArrowUp />}
          keys="alt+arrowup"
          onSelect={() => void actions.movePin(chat, -1)}
        >
          Move up
        </MenuItem>
      )}
      {position < pinned.length - 1 && (
        <MenuItem
          icon={<ArrowDown />}
          keys="alt+arrowdown"
          onSelect={() => void actions.movePin(chat, 1)}
        >
          Move down
        </MenuItem>
      )}
    </>
  );
}

async function copyLink({ id }: Chat): Promise<void> {
  const link = `${location.origin}/chats/${id}`;
  try {
    await navigator.clipboard.writeText(link);
    toast('Link copied');
  } catch {
    // Browsers refuse clipboard access without HTTPS or permission.
    toast('Link to this chat', { description: link });
  }
}
