import type { Chat, WorkspaceWithLog } from '@chatd/protocol';
import { Box, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { client } from '../api/client.ts';
import { explain } from '../api/explain.ts';
import { safeText } from '../markdown/safe-text.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { useWorkspace, useWorkspaceId } from './use-workspace.ts';

/** What needs a workspace that runs; where there is none, what to do about it. */
export function WorkspaceGate({
  chat,
  what,
  stoppedIsFine = false,
  children,
}: {
  readonly chat: Chat;
  /** What would be here: "A terminal". */
  readonly what: string;
  /** It can be looked at while it is stopped. */
  readonly stoppedIsFine?: boolean;
  readonly children: (workspace: WorkspaceWithLog) => ReactNode;
}) {
  const id = useWorkspaceId(chat);
  const { workspace, error, refresh } = useWorkspace(id);
  if (id === undefined) {
    return (
      <div className="p-4">
        <EmptyState icon={<Box />} title="There is no workspace yet">
          {what} needs the workspace of this chat. Its agent makes one when it needs it, or you
          choose one for a new chat.
        </EmptyState>
      </div>
    );
  }
  if (error !== null && workspace === undefined) {
    return (
      <Notice kind="bad" className="m-3" title="The workspace cannot be reached">
        {explain(error)}
      </Notice>
    );
  }
  if (workspace === undefined) return <Spinner label="Looking at the workspace" className="m-4" />;
  if (workspace.status === 'ready') return children(workspace);
  if (workspace.status === 'stopped' && stoppedIsFine) return children(workspace);
  return <NotRunning workspace={workspace} onChanged={refresh} />;
}

const WORDS = {
  creating: 'The workspace is being made',
  stopped: 'The workspace is stopped',
  failed: 'The workspace could not be made',
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
  const canStart = status === 'stopped' || status === 'failed';
  return (
    <div className="flex flex-col gap-3 p-4">
      <EmptyState
        icon={status === 'creating' ? <Spinner className="size-6" /> : <Box />}
        title={WORDS[status]}
        action={
          canStart && (
            <Button kind="primary" disabled={starting} onClick={() => void start()}>
              {starting ? <Spinner /> : <Play aria-hidden className="size-4" />}
              {status === 'failed' ? 'Make it again' : 'Start it'}
            </Button>
          )
        }
      >
        {status === 'stopped' && 'Nothing runs in it, and its files are kept.'}
        {status === 'failed' && safeText(error ?? '')}
      </EmptyState>
      {problem !== undefined && (
        <Notice kind="bad" live title="It was not started">
          {problem}
        </Notice>
      )}
      {log !== '' && status !== 'stopped' && (
        <pre
          aria-label="What its set-up has written"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys scroll it
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-lg bg-code p-3 text-sm whitespace-pre-wrap wrap-anywhere"
        >
          {safeText(log)}
        </pre>
      )}
    </div>
  );
}
