import type { Chat, WorkspaceWithLog } from '@chatd/protocol';
import { Box, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { safeText } from '../markdown/safe-text.ts';
import { useCanEdit } from '../state/access.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useWorkspace, useWorkspaceId } from './use-workspace.ts';

/** Renders its children when the workspace is running; otherwise explains what to do. */
export function WorkspaceGate({
  chat,
  what,
  stoppedIsFine = false,
  children,
}: {
  readonly chat: Chat;
  /** The subject of the message: "A terminal". */
  readonly what: string;
  /** Also available while the workspace is stopped. */
  readonly stoppedIsFine?: boolean;
  readonly children: (workspace: WorkspaceWithLog) => ReactNode;
}) {
  const id = useWorkspaceId(chat);
  const { workspace, error, refresh } = useWorkspace(id);
  if (id === undefined) {
    return (
      <div className="p-4">
        <EmptyState icon={<Box />} title="No workspace yet">
          {what} requires a workspace. The agent creates one when needed, or you can choose one for
          a new chat.
        </EmptyState>
      </div>
    );
  }
  if (error !== null && workspace === undefined) {
    return (
      <Notice kind="bad" className="m-3" title="The workspace cannot be loaded">
        {explain(error)}
      </Notice>
    );
  }
  if (workspace === undefined) return <Spinner label="Loading workspace" className="m-4" />;
  if (workspace.status === 'ready') return children(workspace);
  if (workspace.status === 'stopped' && stoppedIsFine) return children(workspace);
  return <NotRunning workspace={workspace} onChanged={refresh} />;
}

const WORDS = {
  creating: 'Creating the workspace',
  stopped: 'The workspace is stopped',
  failed: 'Creating the workspace failed',
  deleted: 'The workspace was deleted',
} as const;

function NotRunning({
  workspace,
  onChanged,
}: {
  readonly workspace: WorkspaceWithLog;
  readonly onChanged: () => void;
}) {
  const { id, status, log, error } = workspace;
  const canEdit = useCanEdit();
  const [starting, setStarting] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (status === 'ready') return null;
  const start = async () => {
    setStarting(true);
    setProblem(undefined);
    try {
      await client.call('startWorkspace', { params: { workspace_id: id } });
    } catch (caught) {
      setProblem(explain(caught));
    }
    setStarting(false);
    onChanged();
  };
  const canStart = canEdit && (status === 'stopped' || status === 'failed');
  return (
    <div className="flex flex-col gap-3 p-4">
      <EmptyState
        icon={status === 'creating' ? <Spinner className="size-6" /> : <Box />}
        title={WORDS[status]}
        action={
          canStart && (
            <Button kind="primary" disabled={starting} onClick={() => void start()}>
              {starting ? <Spinner /> : <Play aria-hidden className="size-4" />}
              {status === 'failed' ? 'Create again' : 'Start workspace'}
            </Button>
          )
        }
      >
        {status === 'stopped' && 'Its files are kept.'}
        {status === 'failed' && safeText(error ?? '')}
      </EmptyState>
      {problem !== undefined && (
        <Notice kind="bad" live title="The workspace could not be started">
          {problem}
        </Notice>
      )}
      {log !== '' && status !== 'stopped' && (
        <pre
          aria-label="Setup log"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-lg bg-code p-3 text-sm whitespace-pre-wrap wrap-anywhere"
        >
          {safeText(log)}
        </pre>
      )}
    </div>
  );
}
