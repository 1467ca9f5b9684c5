import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Plug } from 'lucide-react';
import { client } from '../../api/client.ts';
import { useCell } from '../../state/cell.ts';
import { Menu, MenuCheck } from '../../ui/menu.tsx';
import { TOOL } from '../tool-style.ts';
import { newChatOptions } from './new-chat-options.ts';

/** Selects the MCP servers of a new chat. Hidden when there are none. */
export function McpPicker({ onClosed }: { readonly onClosed: () => void }) {
  const { data } = useQuery({
    queryKey: ['mcp-servers'],
    queryFn: ({ signal }) => client.call('listMcpServers', { signal }),
  });
  const { mcpServerIds } = useCell(newChatOptions);
  const servers = (data?.mcp_servers ?? []).filter(({ enabled }) => enabled);
  if (servers.length === 0) return null;
  const usual = servers.filter(({ default_on }) => default_on).map(({ id }) => id);
  const on = mcpServerIds ?? usual;
  const change = (id: string, wanted: boolean) =>
    newChatOptions.update((before) => ({
      ...before,
      mcpServerIds: wanted ? [...on, id] : on.filter((other) => other !== id),
    }));
  return (
    <Menu
      onClosed={onClosed}
      trigger={
        <button type="button" className={TOOL}>
          <Plug aria-hidden />
          <span>
            {on.length}
            <span className="max-sm:sr-only"> of {servers.length} MCP</span>
            <span className="sr-only"> servers</span>
          </span>
          <ChevronDown aria-hidden />
        </button>
      }
    >
      <div className="w-[min(20rem,calc(100vw-2rem))]">
        <p className="px-2 py-1 text-sm text-muted">
          MCP servers for this chat. The selection is final.
        </p>
        {servers.map((server) => (
          <MenuCheck
            key={server.id}
            checked={on.includes(server.id)}
            onChange={(wanted) => change(server.id, wanted)}
          >
            <span className="block">{server.name}</span>
            {server.needs_sign_in && !server.signed_in && (
              <span className="block text-sm text-warn">
                Sign in to this server in the settings to use its tools.
              </span>
            )}
          </MenuCheck>
        ))}
      </div>
    </Menu>
  );
}
