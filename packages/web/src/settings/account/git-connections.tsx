import type { GitConnection } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { GitBranch, Plus } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { unlessUnsaved } from '../../state/unsaved.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

const KINDS: readonly { readonly value: GitConnection['kind']; readonly label: string }[] = [
  { value: 'github', label: 'GitHub' },
  { value: 'gitlab', label: 'GitLab' },
  { value: 'other', label: 'Other' },
];

export function GitConnections() {
  const connections = useQuery(apiQuery('listGitConnections'));
  const [adding, setAdding] = useState(false);
  return (
    <>
      <Heading
        title="Git"
        about="Accounts with which your workspaces clone private repositories, push, and open pull requests."
        action={
          <Button kind="primary" onClick={() => setAdding(true)}>
            <Plus aria-hidden className="size-4" />
            Connect host
          </Button>
        }
      />
      <QueryResult to={connections}>
        {({ git_connections: list }) =>
          list.length === 0 ? (
            <EmptyState icon={<GitBranch />} title="No git host connected">
              Connect GitHub, GitLab, or another host with a token. The token stays on the server
              and never enters a workspace.
            </EmptyState>
          ) : (
            <Rows label="Git connections">
              {list.map((connection) => (
                <ConnectionRow key={connection.id} connection={connection} />
              ))}
            </Rows>
          )
        }
      </QueryResult>
      <ConnectDialog open={adding} onClose={() => setAdding(false)} />
    </>
  );
}

function ConnectionRow({ connection }: { readonly connection: GitConnection }) {
  const { id, host, kind, account, repositories, updated_at } = connection;
  const changed = useInvalidateQueries();
  return (
    <Row
      title={host}
      badges={<Badge>{KINDS.find(({ value }) => value === kind)?.label ?? kind}</Badge>}
      about={
        <>
          {account !== null && `${account} · `}
          {repositories === null ? 'All repositories' : repositories.join(', ')}
          {' · '}connected <TimeAgo time={updated_at} />
        </>
      }
      actions={
        <DeleteButton
          what="connection to"
          name={host}
          verb="Remove"
          onDelete={async () => {
            await client.call('deleteGitConnection', { params: { git_connection_id: id } });
            await changed();
          }}
        >
          Workspaces lose access to private repositories of {host}. The token is deleted.
        </DeleteButton>
      }
    />
  );
}

function ConnectDialog({
  open,
  onClose,
}: {
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const onCancel = () => unlessUnsaved(onClose);
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onCancel();
      }}
      title="Connect git host"
    >
      <ConnectForm onDone={onClose} onCancel={onCancel} />
    </Dialog>
  );
}

function ConnectForm({
  onDone,
  onCancel,
}: {
  readonly onDone: () => void;
  readonly onCancel: () => void;
}) {
  const changed = useInvalidateQueries();
  const form = useForm({
    initial: { kind: 'github', host: 'github.com', token: '', username: '', repositories: '' },
    async save({ kind, host, token, username, repositories }) {
      const patterns = repositories.split(/[\s,]+/).filter((one) => one !== '');
      await client.call('createGitConnection', {
        body: {
          host,
          kind: kind as GitConnection['kind'],
          token,
          ...(username !== '' && { username }),
          ...(patterns.length > 0 && { repositories: patterns }),
        },
      });
      await changed();
    },
    onSaved: onDone,
  });
  return (
    <SettingsForm form={form} label="Connect git host" action="Connect host" onCancel={onCancel}>
      <form.Select name="kind" label="Kind" choices={KINDS} />
      <form.Text name="host" label="Host" help="Host name, with a port if it is not 443" />
      <form.Text
        name="token"
        label="Token"
        type="password"
        help="Personal access token that can write repositories and pull requests"
      />
      {form.values.kind === 'other' && (
        <form.Text name="username" label="User name" help="Sent with the token. Default: git" />
      )}
      <form.Text
        name="repositories"
        label="Repositories"
        help="owner/name or owner/*, separated by commas. Empty: all that the token can access"
      />
    </SettingsForm>
  );
}
