import type { McpServer } from '@chatd/protocol';
import { useRef } from 'react';
import { client } from '../../api/client.ts';
import { useInvalidateQueries } from '../../api/queries.ts';
import { RadioCards } from '../../ui/radio-cards.tsx';
import { SettingsForm } from '../form/settings-form.tsx';
import { useForm } from '../form/use-form.ts';
import { GroupChoice } from '../groups/group-choice.tsx';
import { BackLink } from '../parts/back-link.tsx';
import { Heading } from '../parts/heading.tsx';
import { SavedSwitch } from '../parts/saved-switch.tsx';
import { TestButton, useTest } from '../parts/test-button.tsx';
import { useEditing } from '../parts/use-editing.ts';
import { McpAuthFields } from './mcp-auth-fields.tsx';
import { McpTestAnswer } from './mcp-test-answer.tsx';
import { bodyOfServer, checkServer, NO_SECRETS, valuesOfServer } from './mcp-values.ts';
import { SignInToServer } from './sign-in-to-server.tsx';
import { toast } from '../../ui/toast.ts';

type Flag = 'enabled' | 'default_on' | 'trusted';

const FLAGS: readonly { readonly name: Flag; readonly label: string; readonly help: string }[] = [
  { name: 'enabled', label: 'Enabled', help: 'Chats can use its tools.' },
  {
    name: 'default_on',
    label: 'Enabled by default',
    help: 'For chats that do not select their servers.',
  },
  {
    name: 'trusted',
    label: 'Trusted',
    help: 'Trusts its tool annotations: read-only tools may be retried after a crash and used in plan mode.',
  },
];

export function EditMcpServer({
  server,
  onClose,
}: {
  readonly server?: McpServer;
  readonly onClose: () => void;
}) {
  const changed = useInvalidateQueries();
  const editing = useEditing();
  const made = useRef<McpServer>(undefined);
  const id = server?.id ?? '';
  const before = server === undefined ? undefined : valuesOfServer(server);
  const test = useTest(() => client.call('testMcpServer', { params: { mcp_server_id: id } }));
  const form = useForm({
    initial: valuesOfServer(server),
    check: checkServer,
    alsoAt: ['auth'],
    async save(values) {
      const body = bodyOfServer(values, before);
      if (server === undefined) {
        const { transport } = values;
        made.current = await client.call('createMcpServer', { body: { ...body, transport } });
      } else {
        await client.call('updateMcpServer', { params: { mcp_server_id: id }, body });
      }
      await changed();
      return { ...values, ...NO_SECRETS };
    },
    onSaved() {
      if (made.current === undefined) return;
      toast.success(`${made.current.name} added. Test it to see its tools.`);
      editing.open(made.current.id);
    },
  });
  const update = async (body: Partial<Record<Flag, boolean>>) => {
    await client.call('updateMcpServer', { params: { mcp_server_id: id }, body });
    await changed();
  };
  const { transport } = form.values;
  return (
    <>
      <BackLink to="MCP servers" onClick={onClose} />
      <Heading title={server?.name ?? 'Add MCP server'} />
      <SettingsForm
        form={form}
        label={server === undefined ? 'New MCP server' : `MCP server ${server.name}`}
        action={server === undefined ? 'Add server' : 'Save'}
        extra={
          server !== undefined && (
            <>
              <TestButton test={test} label={`Test ${server.name}`} disabled={form.changed} />
              <SignInToServer server={server} />
            </>
          )
        }
      >
        <form.Text
          name="name"
          label="Name"
          spellCheck={false}
          placeholder="github"
          help="Lowercase letters, digits and hyphens. Prefix of its tools: NAME__tool."
        />
        {server === undefined && (
          <RadioCards
            legend="Transport"
            value={transport}
            onChange={(next) => form.set({ transport: next })}
            cards={[
              {
                value: 'http',
                label: 'HTTP',
                help: 'Streamable HTTP, used by most remote servers',
              },
              { value: 'sse', label: 'SSE', help: 'Legacy HTTP transport' },
              { value: 'stdio', label: 'stdio', help: 'A program on the chatd host' },
            ]}
          />
        )}
        {transport === 'stdio' ? (
          <>
            <form.Text
              name="command"
              label="Command"
              spellCheck={false}
              placeholder="npx"
              help="An executable, not a shell command. Runs as the chatd user without a sandbox: start only trusted programs."
            />
            <form.Area name="args" label="Arguments" code rows={3} help="One per line." />
            <form.Area
              name="env"
              label="Environment"
              code
              rows={3}
              placeholder="API_TOKEN=…"
              help={environmentHelp(server)}
            />
            <form.Text
              name="cwd"
              label="Working directory"
              spellCheck={false}
              placeholder="/srv/projects"
              help="Default: the temporary directory."
            />
            <div className="grid items-start gap-4 sm:grid-cols-3">
              <form.Number
                name="memory_mb"
                path="limits.memory_mb"
                label="Memory limit"
                help="MiB per process. Empty: no limit."
              />
              <form.Number
                name="open_files"
                path="limits.open_files"
                label="Open files limit"
                help="Files per process. Empty: no limit."
              />
              <form.Number
                name="cpu_seconds"
                path="limits.cpu_seconds"
                label="CPU time limit"
                help="Seconds per process. Empty: no limit."
              />
            </div>
          </>
        ) : (
          <>
            <form.Text
              name="url"
              label="URL"
              type="url"
              spellCheck={false}
              placeholder="https://example.org/mcp"
            />
            <McpAuthFields form={form} {...(server !== undefined && { stored: server })} />
          </>
        )}
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <form.Area
            name="tool_allow"
            label="Allowed tools"
            code
            rows={3}
            placeholder="search_*"
            help="One pattern per line with * and ?. Empty: all."
          />
          <form.Area
            name="tool_deny"
            label="Denied tools"
            code
            rows={3}
            placeholder="delete_*"
            help="One pattern per line. Takes precedence over allowed tools."
          />
        </div>
        <div className="sm:max-w-sm">
          <form.Number name="timeout_seconds" label="Call timeout" help="Seconds without output." />
        </div>
        <GroupChoice
          value={form.values.group_ids}
          onChange={(group_ids) => form.set({ group_ids })}
        />
        {FLAGS.map((flag) =>
          server === undefined ? (
            <form.Check key={flag.name} {...flag} />
          ) : (
            <SavedSwitch
              key={flag.name}
              {...flag}
              checked={server[flag.name] === true}
              onChange={(on) => update({ [flag.name]: on })}
            />
          ),
        )}
        <McpTestAnswer state={test.state} />
      </SettingsForm>
    </>
  );
}

function environmentHelp(server: McpServer | undefined): string {
  const names = server?.env_names ?? [];
  const form = 'NAME=value, one per line. Stored encrypted and never shown again.';
  if (names.length === 0) return form;
  return `Currently set: ${names.join(', ')}. Entering values replaces all of them; empty keeps them. ${form}`;
}
