import type { McpServer, User } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { Plus, Wrench } from 'lucide-react';
import { client } from '../../api/client.ts';
import { apiQuery, useInvalidateQueries } from '../../api/queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryResult } from '../parts/query-result.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { EnabledSwitch } from '../parts/saved-switch.tsx';
import { Heading } from '../parts/heading.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { TestButton, useTest } from '../parts/test-button.tsx';
import { type Editing, useEditing } from '../parts/use-editing.ts';
import { EditMcpServer } from './edit-mcp-server.tsx';
import { McpTestAnswer } from './mcp-test-answer.tsx';
import { SignInToServer } from './sign-in-to-server.tsx';

/** Members see the servers available to them and sign in; admins manage them. */
export function McpServers({ user }: { readonly user: User }) {
  const editing = useEditing();
  const admin = user.role === 'admin';
  const servers = useQuery(apiQuery('listMcpServers'));
  if (admin && editing.edited === 'new') return <EditMcpServer onClose={editing.close} />;
  return (
    <QueryResult to={servers}>
      {({ mcp_servers: list }) => {
        const edited = admin ? list.find(({ id }) => id === editing.edited) : undefined;
        return edited === undefined ? (
          <ServerList servers={list} admin={admin} editing={editing} />
        ) : (
          <EditMcpServer key={edited.id} server={edited} onClose={editing.close} />
        );
      }}
    </QueryResult>
  );
}

function ServerList({
  servers,
  admin,
  editing,
}: {
  readonly servers: readonly McpServer[];
  readonly admin: boolean;
  readonly editing: Editing;
}) {
  const add = admin && (
    <Button kind="primary" onClick={() => editing.open('new')}>
      <Plus aria-hidden className="size-4" />
      Add MCP server
    </Button>
  );
  return (
    <>
      <Heading
        title="MCP servers"
        about="MCP servers provide additional tools to agents."
        action={servers.length > 0 && add}
      />
      {servers.length === 0 ? (
        <EmptyState icon={<Wrench />} title="No MCP servers yet" action={add}>
          {admin
            ? 'Add a server by its URL, or by the command that starts it.'
            : 'Ask an admin to add one.'}
        </EmptyState>
      ) : (
        <Rows label="MCP servers">
          {servers.map((server) =>
            admin ? (
              <ServerRow key={server.id} server={server} onEdit={() => editing.open(server.id)} />
            ) : (
              <Row
                key={server.id}
                title={server.name}
                badges={server.default_on && <Badge kind="info">default</Badge>}
                about={
                  server.needs_sign_in ? 'Agents act on your behalf.' : 'Available to your chats.'
                }
                actions={<SignInToServer server={server} />}
              />
            ),
          )}
        </Rows>
      )}
    </>
  );
}

function ServerRow({
  server,
  onEdit,
}: {
  readonly server: McpServer;
  readonly onEdit: () => void;
}) {
  const { id, name, enabled, default_on, group_ids, transport, url, command, args } = server;
  const params = { mcp_server_id: id };
  const changed = useInvalidateQueries();
  const test = useTest(() => client.call('testMcpServer', { params }));
  const enable = async (on: boolean) => {
    await client.call('updateMcpServer', { params, body: { enabled: on } });
    await changed();
  };
  const remove = async () => {
    await client.call('deleteMcpServer', { params });
    await changed();
  };
  return (
    <Row
      title={name}
      badges={
        <>
          <Badge>{transport}</Badge>
          {default_on && <Badge kind="info">default</Badge>}
          {!enabled && <Badge>disabled</Badge>}
          {Array.isArray(group_ids) && <Badge>restricted</Badge>}
        </>
      }
      about={url ?? [command, ...(args ?? [])].join(' ')}
      actions={
        <>
          <EnabledSwitch name={name} checked={enabled} onChange={enable} />
          <SignInToServer server={server} />
          <TestButton test={test} label={`Test ${name}`} size="small" />
          <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <DeleteButton what="MCP server" name={name} onDelete={remove}>
            Existing chats continue without its tools. Stored sign-ins are deleted.
          </DeleteButton>
        </>
      }
    >
      <McpTestAnswer state={test.state} />
    </Row>
  );
}
