import type { Project } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { FolderOpen, SquarePen } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { apiQuery } from '../api/queries.ts';
import { ago } from '../format/time.ts';
import { SettingsForm } from '../settings/form/settings-form.tsx';
import { useForm } from '../settings/form/use-form.ts';
import { DeleteButton } from '../settings/parts/delete-button.tsx';
import { LeaveDialog } from '../settings/parts/leave-dialog.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { SidebarToggle } from '../shell/shell.tsx';
import { useCell } from '../state/cell.ts';
import { activityOf } from '../state/chats/activity.ts';
import { byActivity } from '../state/chats/list-order.ts';
import { Pager } from '../state/chats/pager.ts';
import { useChatList } from '../state/chats/use-chat-list.ts';
import { usePageTitle } from '../state/page-title.ts';
import { useProjectActions, useProjects } from '../state/projects.ts';
import { Button } from '../ui/button.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useNow } from '../ui/use-now.ts';

/** The chats and settings of a project. */
export default function ProjectPage({ projectId }: { readonly projectId: string }) {
  const projects = useProjects();
  const project = projects?.find(({ id }) => id === projectId);
  const [, go] = useLocation();
  usePageTitle(project?.name);
  if (projects === undefined) return <Spinner label="Loading project" className="m-auto size-6" />;
  if (project === undefined) {
    return <NotFound reason="This project does not exist. It may have been deleted." />;
  }
  return (
    <>
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-2 md:px-4">
        <SidebarToggle />
        <FolderOpen aria-hidden className="size-4 shrink-0 text-muted" />
        <h1 dir="auto" className="min-w-0 flex-1 truncate font-semibold">
          {project.name}
        </h1>
        <Button size="small" onClick={() => go(`/?project=${project.id}`)}>
          <SquarePen aria-hidden className="size-4" /> New chat
        </Button>
      </header>
      <main className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-8 px-4 py-6 md:px-8">
          <ProjectForm key={project.id} project={project} />
          <ProjectChats projectId={project.id} />
        </div>
      </main>
      <LeaveDialog />
    </>
  );
}

function ProjectForm({ project }: { readonly project: Project }) {
  const { update, delete: remove } = useProjectActions();
  const models = useQuery(apiQuery('listModelConfigs')).data?.model_configs ?? [];
  const form = useForm({
    initial: {
      name: project.name,
      instructions: project.instructions,
      model_config_id: project.model_config_id ?? '',
    },
    check: ({ name }) => (name.trim() === '' ? { name: 'Enter a name.' } : {}),
    save: ({ name, instructions, model_config_id }) =>
      update(project.id, {
        name,
        instructions,
        model_config_id: model_config_id === '' ? null : model_config_id,
      }),
  });
  const offered = models.filter(({ id, enabled }) => enabled || id === project.model_config_id);
  return (
    <SettingsForm
      form={form}
      label="Project settings"
      extra={
        <span className="ms-auto">
          <DeleteButton
            what="project"
            name={project.name}
            onDelete={async () => {
              await remove(project.id);
              navigate('/');
            }}
          >
            Its chats are kept. They continue without the instructions of the project.
          </DeleteButton>
        </span>
      }
    >
      <form.Text name="name" label="Name" maxLength={100} dir="auto" />
      <form.Area
        name="instructions"
        label="Instructions"
        rows={8}
        maxLength={65_536}
        dir="auto"
        placeholder="Goals, conventions and context for the agent"
        help="Added to the system prompt of every chat in this project, from the next turn on."
      />
      <form.Select
        name="model_config_id"
        label="Model of new chats"
        choices={[
          { value: '', label: 'Default model' },
          ...offered.map(({ id, display_name }) => ({ value: id, label: display_name })),
        ]}
      />
    </SettingsForm>
  );
}

function ProjectChats({ projectId }: { readonly projectId: string }) {
  const list = useChatList();
  const all = useCell(list.chats);
  const now = useNow(true, 60_000);
  const [{ more, paging }] = useState(() => new Pager(list, { project_id: projectId }));
  const state = useCell(paging);
  useEffect(() => void more(), [more]);
  const chats = useMemo(
    () =>
      [...all.values()]
        .filter(({ project_id, archived }) => project_id === projectId && !archived)
        .sort(byActivity),
    [all, projectId],
  );
  return (
    <section aria-labelledby="project-chats" className="flex flex-col gap-2">
      <h2 id="project-chats" className="text-lg font-semibold">
        Chats
      </h2>
      {chats.length === 0 && state === 'all' && (
        <p className="text-muted">
          No chats in this project yet. Start one, or drag a chat to the project in the sidebar.
        </p>
      )}
      <ul className="flex flex-col">
        {chats.map((chat) => (
          <li key={chat.id}>
            <Link
              href={`/chats/${chat.id}`}
              className="-mx-2 flex items-baseline gap-3 rounded-lg px-2 py-1.5 hover:bg-hover"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {chat.title}
              </span>
              <span className="max-w-[50%] shrink-0 truncate text-sm text-muted">
                {activityOf(chat) ?? ago(chat.active_at, now)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {state === 'loading' && <Spinner label="Loading chats" className="size-4" />}
      {(state === 'more' || state === 'failed') && (
        <Button size="small" className="self-start" onClick={() => void more()}>
          Load more
        </Button>
      )}
    </section>
  );
}
