import type { Workspace } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Box } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery, useInvalidateQueries, allPages } from '../../api/queries.ts';
import { Badge, type BadgeKind } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { toast } from '../../ui/toast.ts';

const KINDS: Record<Workspace['status'], BadgeKind> = {
  creating: 'info',
  ready: 'good',
  stopped: 'plain',
  failed: 'bad',
  deleted: 'plain',
};

/** The poll interval while a workspace is being created. */
const LOOK_MS = 2000;

export function Workspaces() {
  const workspaces = useQuery({
    ...allPages('listWorkspaces'),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'creating') === true ? LOOK_MS : false,
  });
  return (
    <>
      <Heading
        title="Workspaces"
        about="Sandboxes in which your agents work with files and programs. Chats create them when needed."
      />
      <QueryResult to={workspaces}>
        {(list) => {
          const there = list.filter(({ status }) => status !== 'deleted');
          return there.length === 0 ? (
            <EmptyState icon={<Box />} title="No workspaces yet">
              The agent creates a workspace when a chat needs files or commands.
            </EmptyState>
          ) : (
            <Rows label="Your workspaces">
              {there.map((workspace) => (
                <WorkspaceRow key={workspace.id} workspace={workspace} />
              ))}
            </Rows>
          );
        }}
      </QueryResult>
    </>
  );
}

function WorkspaceRow({ workspace }: { readonly workspace: Workspace }) {
  const { id, name, status, template_name, machine_name, error, last_used_at } = workspace;
  const changed = useInvalidateQueries();
  const [doing, setDoing] = useState(false);
  const [log, setLog] = useState(false);
  const act = async (call: 'startWorkspace' | 'stopWorkspace') => {
    setDoing(true);
    try {
      await client.call(call, { params: { workspace_id: id } });
      await changed();
    } catch (failure) {
      toast.error(explain(failure));
    } finally {
      setDoing(false);
    }
  };
  const remove = async () => {
    await client.call('deleteWorkspace', { params: { workspace_id: id } });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={<Badge kind={KINDS[status]}>{status}</Badge>}
      about={
        <>
          From {template_name} · on {machine_name} · last used <TimeAgo time={last_used_at} />
        </>
      }
      actions={
        <>
          {doing && <Spinner label="Working" />}
          {status === 'ready' && (
            <Button
              size="small"
              disabled={doing}
              aria-label={`Stop ${name}`}
              onClick={() => void act('stopWorkspace')}
            >
              Stop
            </Button>
          )}
          {(status === 'stopped' || status === 'failed') && (
            <Button
              size="small"
              disabled={doing}
              aria-label={`Start ${name}`}
              onClick={() => void act('startWorkspace')}
            >
              {status === 'failed' ? 'Try again' : 'Start'}
            </Button>
          )}
          <Button size="small" kind="quiet" aria-expanded={log} onClick={() => setLog(!log)}>
            Setup log
          </Button>
          <DeleteButton what="workspace" name={name} onDelete={remove}>
            All its files are deleted, including changes that were not pushed. Chats that used it
            are kept and can get another workspace.
          </DeleteButton>
        </>
      }
    >
      {error !== undefined && <p className="text-sm text-bad">{error}</p>}
      {log && <SetUpLog id={id} />}
    </Row>
  );
}

function SetUpLog({ id }: { readonly id: string }) {
  const workspace = useQuery(apiQuery('getWorkspace', { params: { workspace_id: id } }));
  return (
    <QueryResult to={workspace}>
      {({ log }) => (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys scroll it
          tabIndex={0}
          role="region"
          aria-label="Setup log"
          className="max-h-64 overflow-auto rounded-lg bg-code p-3 text-sm whitespace-pre-wrap"
        >
          {log === '' ? 'The setup log is empty.' : log}
        </pre>
      )}
    </QueryResult>
  );
}
