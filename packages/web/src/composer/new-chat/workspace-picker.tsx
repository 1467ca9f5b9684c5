import type { Template, Workspace } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, FolderGit2 } from 'lucide-react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { useCell } from '../../state/cell.ts';
import { cx } from '../../ui/class-names.ts';
import { Menu, MenuChoices, MenuLine } from '../../ui/menu.tsx';
import { newKey } from '../new-key.ts';
import { TOOL } from '../tool-style.ts';
import { newChatOptions } from './new-chat-options.ts';

const NONE = 'none';

const choose = (next: string) =>
  newChatOptions.update((before) => ({ ...before, workspace: chosen(next) }));

export function WorkspacePicker({ onClosed }: { readonly onClosed: () => void }) {
  const workspaces = useQuery({
    queryKey: ['workspaces'],
    queryFn: ({ signal }) => client.call('listWorkspaces', { query: { limit: 50 }, signal }),
  });
  const templates = useQuery({
    queryKey: ['templates'],
    queryFn: ({ signal }) => client.call('listTemplates', { signal }),
  });
  const { workspace } = useCell(newChatOptions);
  const own = (workspaces.data?.workspaces ?? []).filter(({ status }) => status !== 'deleted');
  const offered = templates.data?.templates ?? [];
  const error = workspaces.error ?? templates.error;
  const value = valueOf(workspace);
  return (
    <Menu
      onClosed={onClosed}
      trigger={
        <button
          type="button"
          className={TOOL}
          aria-label={`Workspace: ${nameOf(value, own, offered)}`}
        >
          <FolderGit2 aria-hidden />
          <span className={cx('max-w-48 truncate', value === NONE && 'max-sm:hidden')}>
            {nameOf(value, own, offered)}
          </span>
          <ChevronDown aria-hidden className="max-sm:hidden" />
        </button>
      }
    >
      <div className="w-[min(22rem,calc(100vw-2rem))]">
        <MenuChoices
          label="Workspace for files and commands"
          value={value}
          onChange={choose}
          choices={[
            {
              value: NONE,
              label: <Choice title="No workspace" about="The agent can create one later." />,
            },
            ...own.map((each) => ({
              value: `workspace ${each.id}`,
              label: <Choice title={each.name} about={aboutWorkspace(each)} />,
            })),
          ]}
        />
        {offered.length > 0 && (
          <>
            <MenuLine />
            <MenuChoices
              label="New workspace"
              value={value}
              onChange={choose}
              choices={offered.map((each) => ({
                value: `template ${each.id}`,
                label: <Choice title={each.name} about={each.description ?? 'Empty workspace'} />,
              }))}
            />
          </>
        )}
        {error !== null && <p className="px-2 py-1.5 text-sm text-bad">{explain(error)}</p>}
      </div>
    </Menu>
  );
}

function Choice({ title, about }: { readonly title: string; readonly about: string }) {
  return (
    <>
      <span className="block truncate">{title}</span>
      <span className="block text-sm text-muted">{about}</span>
    </>
  );
}

const ABOUT: Record<Workspace['status'], string> = {
  creating: 'being created; the agent waits for it',
  ready: 'ready',
  stopped: 'stopped; starts when needed',
  failed: 'setup failed; the agent sees the error',
  deleted: 'deleted',
};

const aboutWorkspace = ({ template_name, status }: Workspace): string =>
  `${template_name}, ${ABOUT[status]}`;

type Chosen = ReturnType<typeof newChatOptions.get>['workspace'];

function valueOf(workspace: Chosen): string {
  if (workspace.kind === 'none') return NONE;
  return workspace.kind === 'existing'
    ? `workspace ${workspace.id}`
    : `template ${workspace.templateId}`;
}

function chosen(value: string): Chosen {
  const [kind, id = ''] = value.split(' ');
  if (kind === 'workspace') return { kind: 'existing', id };
  return kind === 'template'
    ? { kind: 'template', templateId: id, key: newKey() }
    : { kind: 'none' };
}

function nameOf(
  value: string,
  workspaces: readonly Workspace[],
  templates: readonly Template[],
): string {
  const [kind, id] = value.split(' ');
  if (kind === 'workspace') return workspaces.find((each) => each.id === id)?.name ?? 'Workspace';
  const template = templates.find((each) => each.id === id);
  return template === undefined ? 'No workspace' : `New: ${template.name}`;
}
