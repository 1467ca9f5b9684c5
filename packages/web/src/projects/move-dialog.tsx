import type { Chat, Project } from '@chatd/protocol';
import { FolderPlus } from 'lucide-react';
import { useChatActions } from '../state/chats/chat-actions.ts';
import { useChat } from '../state/chats/use-chat-list.ts';
import { movingChat, newProject, useProjects } from '../state/projects.ts';
import { Dialog } from '../ui/dialog.tsx';

const closeMove = () => movingChat.set(null);

const ROW =
  'flex min-h-9 w-full items-center gap-2 rounded-lg px-3 py-1.5 text-start hover:bg-hover aria-pressed:bg-selected pointer-coarse:min-h-11';

export function MoveDialog({ chatId }: { readonly chatId: string }) {
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
