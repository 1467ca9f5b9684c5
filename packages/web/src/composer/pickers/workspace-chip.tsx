import type { Chat } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { FolderGit2 } from 'lucide-react';
import { apiQuery } from '../../api/queries.ts';
import { panelTab } from '../../state/layout.ts';
import { cx } from '../../ui/class-names.ts';
import { Hint } from '../../ui/hint.tsx';
import { TOOL } from '../tool-style.ts';

/** The workspace of an existing chat. Opens its files. */
export function WorkspaceChip({ chat }: { readonly chat: Chat }) {
  const { data } = useQuery({
    ...apiQuery('getWorkspace', { params: { workspace_id: chat.workspace_id ?? '' } }),
    enabled: chat.workspace_id !== undefined,
  });
  if (data === undefined) return null;
  return (
    <Hint text="Show workspace files">
      <button
        type="button"
        aria-label={`Workspace: ${data.name}`}
        className={cx(TOOL, 'min-w-0 max-sm:hidden')}
        onClick={() => panelTab.set('files')}
      >
        <FolderGit2 aria-hidden />
        <span className="max-w-40 truncate">{data.name}</span>
      </button>
    </Hint>
  );
}
