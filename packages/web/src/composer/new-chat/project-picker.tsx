import { ChevronDown, Folder } from 'lucide-react';
import { useEffect } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { useCell } from '../../state/cell.ts';
import { useProjects } from '../../state/projects.ts';
import { Menu, MenuChoices } from '../../ui/menu.tsx';
import { TOOL } from '../tool-style.ts';
import { newChatOptions } from './new-chat-options.ts';

const NONE = 'none';

const choose = (id: string) =>
  newChatOptions.update((before) => ({ ...before, projectId: id === NONE ? undefined : id }));

/** Selects the project of a new chat. Hidden when there are none. */
export function ProjectPicker({ onClosed }: { readonly onClosed: () => void }) {
  const projects = useProjects();
  const { projectId } = useCell(newChatOptions);
  const project = projects?.find(({ id }) => id === projectId);
  useRequestedProject();
  if (projects === undefined || projects.length === 0) return null;
  const name = project?.name ?? 'No project';
  return (
    <Menu
      onClosed={onClosed}
      trigger={
        <button type="button" className={TOOL} aria-label={`Project: ${name}`}>
          <Folder aria-hidden />
          <span dir="auto" className={project === undefined ? 'max-sm:hidden' : 'truncate'}>
            {name}
          </span>
          <ChevronDown aria-hidden className="max-sm:hidden" />
        </button>
      }
    >
      <MenuChoices
        label="Project"
        value={project?.id ?? NONE}
        onChange={choose}
        choices={[
          { value: NONE, label: 'No project' },
          ...projects.map(({ id, name: label }) => ({ value: id, label })),
        ]}
      />
    </Menu>
  );
}

/** `/?project=ID` selects a project. */
function useRequestedProject(): void {
  const id = new URLSearchParams(useSearch()).get('project');
  useEffect(() => {
    if (id === null) return;
    choose(id);
    // So that the same link works again.
    navigate('/', { replace: true });
  }, [id]);
}
