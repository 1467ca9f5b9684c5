import type { Chat, Project } from '@chatd/protocol';
import { FolderPlus } from 'lucide-react';
import { useId, useState } from 'react';
import { useLocation } from 'wouter';
import { explain } from '../api/explain.ts';
import { useCell } from '../state/cell.ts';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { useChat } from '../state/chats/use-chat-list.ts';
import { movingChat, newProject, useProjectActions, useProjects } from '../state/projects.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

/** Dialogs that menus, shortcuts and the palette open. */
export function ProjectDialogs() {
  const creating = useCell(newProject);
  const moving = useCell(movingChat);
  return (
    <>
      {creating !== null && <NewProjectDialog chatId={creating.chatId} />}
      {moving !== null && <MoveDialog chatId={moving} />}
    </>
  );
}

const closeNew = () => newProject.set(null);
const closeMove = () => movingChat.set(null);

function NewProjectDialog({ chatId }: { readonly chatId: string | undefined }) {
  const [name, setName] = useState('');
  const [error, setError] = useState<string>();
  const { create } = useProjectActions();
  const actions = useChatActions();
  const [, go] = useLocation();
  const chat = useChat(chatId ?? '');
  const form = useId();
  const save = async () => {
    if (name.trim() === '') return setError('Enter a name.');
    try {
      const { id } = await create({ name: name.trim() });
      if (chat !== undefined) await actions.moveToProject(chat, id);
      else go(`/projects/${id}`);
      closeNew();
    } catch (refusal) {
      setError(explain(refusal));
    }
  };
  return (
    <Dialog
      title="New project"
      description="A folder of chats with its own instructions and model."
      open
      onOpenChange={closeNew}
      actions={
        <>
          <Button kind="quiet" onClick={closeNew}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" form={form}>
            Create project
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          value={name}
          error={error}
          maxLength={100}
          autoComplete="off"
          dir="auto"
          onChange={({ target }) => {
            setName(target.value);
            setError(undefined);
          }}
        />
      </form>
    </Dialog>
  );
}

const ROW =
  'flex min-h-9 w-full items-center gap-2 rounded-lg px-3 py-1.5 text-start hover:bg-hover aria-pressed:bg-selected pointer-coarse:min-h-11';

function MoveDialog({ chatId }: { readonly chatId: string }) {
  const chat = useChat(chatId);
  const projects = useProjects() ?? [];
  const actions = useChatActions();
  if (chat === undefined) return null;
  const move = (to: Pick<Project, 'id'> | null) => {
    closeMove();
    if ((to?.id ?? undefined) !== chat.project_id) {
      void actions.moveToProject(chat, to?.id ?? null);
    }
  };
  return (
    <Dialog title="Move to project" description={titleOf(chat)} open onOpenChange={closeMove}>
      <ul className="flex flex-col gap-0.5">
        <li>
          <button
            type="button"
            aria-pressed={chat.project_id === undefined}
            className={ROW}
            onClick={() => move(null)}
          >
            No project
          </button>
        </li>
        {projects.map((project) => (
          <li key={project.id}>
            <button
              type="button"
              dir="auto"
              aria-pressed={project.id === chat.project_id}
              className={ROW}
              onClick={() => move(project)}
            >
              <span className="truncate">{project.name}</span>
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            className={ROW}
            onClick={() => {
              closeMove();
              newProject.set({ chatId });
            }}
          >
            <FolderPlus aria-hidden className="size-4 shrink-0 text-muted" /> New project…
          </button>
        </li>
      </ul>
    </Dialog>
  );
}

const titleOf = ({ title }: Chat) => `“${title}”`;
