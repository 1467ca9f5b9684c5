import type { Chat, ChatContext } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { apiQuery } from '../../api/queries.ts';
import { byteCount } from '../../format/byte-count.ts';
import { counted } from '../../format/number.ts';
import { safeText } from '../../markdown/safe-text.ts';
import type { ChatStore } from '../../state/chat/chat-store.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DetailsSection } from './section.tsx';
import { toast } from '../../ui/toast.ts';

/** The context of the next turn: instructions, skills, MCP servers and tools. */
export function Context({ chat, store }: { readonly chat: Chat; readonly store: ChatStore }) {
  const { data, error, refetch } = useQuery({
    ...apiQuery('getChatContext', { params: { chat_id: chat.id } }),
    staleTime: 1000,
  });
  useEffect(() => store.status.subscribe(() => void refetch()), [store, refetch]);
  // The context depends on the workspace and the mode.
  const { workspace_id, plan_mode } = chat;
  useEffect(() => void refetch(), [workspace_id, plan_mode, refetch]);
  if (error !== null) return <DetailsSection title="Context">{explain(error)}</DetailsSection>;
  if (data === undefined) return <DetailsSection title="Context">…</DetailsSection>;
  return (
    <>
      <Instructions chat={chat} context={data} onChanged={() => void refetch()} />
      <McpServers servers={data.mcp_servers} />
      <Tools tools={data.tools} />
    </>
  );
}

function Instructions({
  chat,
  context,
  onChanged,
}: {
  readonly chat: Chat;
  readonly context: ChatContext;
  readonly onChanged: () => void;
}) {
  const { files, skills, kept, workspace_id } = context;
  const readAgain = async () => {
    try {
      await client.call('refreshChatContext', { params: { chat_id: chat.id } });
      toast('Instructions are reloaded when the next turn starts.');
    } catch (error) {
      toast.error('Reloading the instructions failed', { description: explain(error) });
    }
    onChanged();
  };
  return (
    <DetailsSection
      title="Instructions and skills"
      action={
        kept && (
          <Button size="small" kind="quiet" onClick={() => void readAgain()}>
            <RefreshCw aria-hidden className="size-3.5" /> Reload
          </Button>
        )
      }
    >
      {files.length === 0 && skills.length === 0 ? (
        <p className="text-sm text-muted">
          {workspace_id === null
            ? 'AGENTS.md and skills in .agents/skills are loaded from the workspace.'
            : 'The workspace has no AGENTS.md and no skills in .agents/skills.'}
        </p>
      ) : (
        <ul className="flex flex-col gap-1 text-sm">
          {files.map(({ path, bytes, cut }) => (
            <li key={path}>
              {safeText(path)}{' '}
              <span className="text-muted">
                {byteCount(bytes)}
                {cut && ', truncated'}
              </span>
            </li>
          ))}
          {skills.map(({ name, description }) => (
            <li key={name}>
              <span className="font-medium">/{safeText(name)}</span>{' '}
              <span className="text-muted">{safeText(description)}</span>
            </li>
          ))}
        </ul>
      )}
    </DetailsSection>
  );
}

function McpServers({ servers }: { readonly servers: ChatContext['mcp_servers'] }) {
  return (
    <DetailsSection title="MCP servers">
      {servers.length === 0 ? (
        <p className="text-sm text-muted">No MCP servers</p>
      ) : (
        <ul className="flex flex-col gap-1 text-sm">
          {servers.map(({ id, name, tools, sign_in_needed }) => (
            <li key={id} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate">{safeText(name)}</span>
              {sign_in_needed ? (
                <Badge kind="warn">sign-in required</Badge>
              ) : (
                <span className="text-muted">
                  {tools === null ? 'connects when a turn starts' : counted(tools, 'tool')}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </DetailsSection>
  );
}

const SOURCES: Record<ChatContext['tools'][number]['source'], string> = {
  chatd: 'chatd',
  people: 'Questions and plans',
  subagents: 'Subagents',
  workspace: 'Workspace',
  mcp: 'MCP',
  client: 'Client',
};

function Tools({ tools }: { readonly tools: ChatContext['tools'] }) {
  const groups = Map.groupBy(tools, ({ source, server }) =>
    server === undefined ? SOURCES[source] : `MCP: ${server}`,
  );
  return (
    <DetailsSection title={`Tools (${tools.length})`}>
      {[...groups].map(([source, some]) => (
        <ToolGroup key={source} source={source} tools={some} />
      ))}
    </DetailsSection>
  );
}

function ToolGroup({
  source,
  tools,
}: {
  readonly source: string;
  readonly tools: ChatContext['tools'];
}) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer rounded-md py-0.5 text-sm">
        {safeText(source)} <span className="text-muted">{tools.length}</span>
      </summary>
      {open && (
        <ul className="flex flex-col gap-1 py-1 pl-4 text-sm">
          {tools.map(({ name, description, refused }) => (
            <li key={name}>
              <code className="font-mono">{safeText(name)}</code>
              {refused && (
                <>
                  {' '}
                  <Badge>not available in plan mode</Badge>
                </>
              )}
              <p className="line-clamp-2 text-muted">{safeText(description)}</p>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
