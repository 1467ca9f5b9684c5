import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { CornerLeftUp, Ellipsis, PanelRight, UserPlus, Zap } from 'lucide-react';
import { memo, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { apiQuery } from '../api/queries.ts';
import { openSharing, sharedChat } from '../sharing/sharing-state.ts';
import { Viewers } from '../sharing/viewers.tsx';
import { ChatMenu } from '../sidebar/chat-menu.tsx';
import { LabelsDialog } from '../sidebar/labels-dialog.tsx';
import { StatusMark } from '../sidebar/rows/status-mark.tsx';
import { TitleField } from '../sidebar/rows/title-field.tsx';
import { isOwn } from '../state/access.ts';
import { useCell } from '../state/cell.ts';
import type { ChatStore } from '../state/chat/chat-store.ts';
import { CHAT_STATE_TEXT, stateOf } from '../state/chats/chat-state.ts';
import { useChat } from '../state/chats/use-chat-list.ts';
import { panelTab } from '../state/layout.ts';
import { unlessUnsaved } from '../state/unsaved.ts';
import { movingChat, useProject } from '../state/projects.ts';
import { Hint } from '../ui/hint.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Menu } from '../ui/menu.tsx';
import { SidebarToggle } from './shell.tsx';
import { useChatCommands } from './use-chat-commands.ts';

/** The title, status and actions of the open chat. */
export const ChatHeader = memo(function ChatHeader({
  chat,
  store,
}: {
  readonly chat: Chat;
  readonly store: ChatStore;
}) {
  const panel = useCell(panelTab) !== null;
  const [renaming, setRenaming] = useState(false);
  const [labelling, setLabelling] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const title = useRef<HTMLButtonElement>(null);
  const actions = useChatCommands(chat, {
    rename: () => setRenaming(true),
    labels: () => setLabelling(true),
    togglePanel,
  });
  const backToTitle = useRef(false);
  useEffect(() => {
    if (renaming || !backToTitle.current) return;
    backToTitle.current = false;
    title.current?.focus();
  }, [renaming]);
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 md:gap-2 md:px-4">
      <SidebarToggle />
      {chat.parent_chat_id !== undefined && <ParentLink chatId={chat.parent_chat_id} />}
      {chat.project_id !== undefined && <ProjectLink projectId={chat.project_id} />}
      {chat.trigger_id !== undefined && isOwn(chat) && <TriggerLink triggerId={chat.trigger_id} />}
      {renaming ? (
        <h1 className="flex min-w-0 flex-1">
          <TitleField
            title={chat.title}
            className="font-semibold"
            onDone={(next, by) => {
              backToTitle.current = by === 'key';
              setRenaming(false);
              if (next !== undefined) void actions.rename(chat, next);
            }}
          />
        </h1>
      ) : !isOwn(chat) ? (
        <h1 dir="auto" className="min-w-0 flex-1 truncate px-1.5 font-semibold">
          {chat.title}
        </h1>
      ) : (
        <h1 className="flex min-w-0 flex-1 font-semibold">
          <Hint text="Rename" keys="f2">
            <button
              ref={title}
              type="button"
              dir="auto"
              className="min-w-0 cursor-text! truncate rounded-md px-1.5 py-0.5 text-start hover:bg-hover"
              onClick={() => setRenaming(true)}
            >
              {chat.title}
              <span className="sr-only"> (rename)</span>
            </button>
          </Hint>
        </h1>
      )}
      <Viewers store={store} />
      <Status chat={chat} />
      {isOwn(chat) && chat.parent_chat_id === undefined && (
        <IconButton label="Share chat" onClick={() => openSharing(chat.id)}>
          <UserPlus />
        </IconButton>
      )}
      <Menu
        align="end"
        onClosed={() => {
          const opensDialog = movingChat.get() !== null || sharedChat.get() !== null;
          if (!renaming && !labelling && !opensDialog) menuButton.current?.focus();
        }}
        trigger={
          <IconButton ref={menuButton} label="Chat actions">
            <Ellipsis />
          </IconButton>
        }
      >
        <ChatMenu
          chat={chat}
          onRename={() => setRenaming(true)}
          onLabels={() => setLabelling(true)}
        />
      </Menu>
      <IconButton label="Side panel" keys="mod+." aria-pressed={panel} onClick={togglePanel}>
        <PanelRight />
      </IconButton>
      {labelling && (
        <LabelsDialog
          chat={chat}
          onClose={() => {
            setLabelling(false);
            menuButton.current?.focus();
          }}
        />
      )}
    </header>
  );
});

const togglePanel = () =>
  unlessUnsaved(() => panelTab.update((tab) => (tab === null ? 'details' : null)));

/** Announces status changes to screen readers. */
function Status({ chat }: { readonly chat: Chat }) {
  const state = stateOf(chat);
  return (
    <p className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
      {chat.owner_name !== undefined && (
        <span className="truncate max-sm:sr-only">Shared by {chat.owner_name}</span>
      )}
      {chat.archived && <span className="rounded border border-line px-1 text-xs">Archived</span>}
      {state !== 'idle' && <StatusMark state={state} />}
      <span role="status" className={state === 'idle' ? 'sr-only' : 'max-sm:sr-only'}>
        {CHAT_STATE_TEXT[state]}
      </span>
    </p>
  );
}

function ProjectLink({ projectId }: { readonly projectId: string }) {
  const project = useProject(projectId);
  if (project === undefined) return null;
  return (
    <span className="flex min-w-0 shrink items-center text-sm text-muted max-sm:hidden">
      <Link
        href={`/projects/${projectId}`}
        dir="auto"
        className="max-w-40 truncate rounded-md px-1.5 py-0.5 hover:bg-hover hover:text-text"
      >
        {project.name}
      </Link>
      <span aria-hidden>/</span>
    </span>
  );
}

/** Nothing for a trigger that was deleted. */
function TriggerLink({ triggerId }: { readonly triggerId: string }) {
  const { data } = useQuery(apiQuery('getTrigger', { params: { trigger_id: triggerId } }));
  if (data === undefined) return null;
  const label = `Started by the trigger ${data.name}`;
  return (
    <Hint text={label}>
      <Link
        href={`/settings/triggers?edit=${triggerId}`}
        aria-label={label}
        className="flex min-w-0 shrink items-center gap-1 rounded-md px-1.5 py-0.5 text-sm text-muted hover:bg-hover hover:text-text pointer-coarse:min-w-11 pointer-coarse:justify-center"
      >
        <Zap aria-hidden className="size-4 shrink-0" />
        <span dir="auto" className="max-w-40 truncate max-sm:hidden">
          {data.name}
        </span>
      </Link>
    </Hint>
  );
}

function ParentLink({ chatId }: { readonly chatId: string }) {
  const parent = useChat(chatId);
  const label = `Go to ${parent?.title ?? 'the parent chat'}`;
  return (
    <Hint text={label}>
      <Link
        href={`/chats/${chatId}`}
        aria-label={label}
        className="inline-flex size-9 shrink-0 items-center justify-center rounded-lg text-muted pointer-coarse:size-11 hover:bg-hover hover:text-text"
      >
        <CornerLeftUp aria-hidden className="size-4" />
      </Link>
    </Hint>
  );
}
