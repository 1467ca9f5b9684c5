import { usageError } from '../command-failed.ts';
import { action } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';
import { JSON_OPTION, printRecord } from '../output/listing.ts';
import { findMcpServer } from '../resources/mcp-servers.ts';
import { findChat } from './find-chat.ts';

export const updateChat = action({
  name: 'update',
  summary: 'Change the title, the system prompt or the MCP servers of a chat',
  positionals: [{ name: 'CHAT' }],
  options: {
    title: { type: 'string', value: 'TEXT', help: 'The new title' },
    'system-prompt': {
      type: 'string',
      value: 'TEXT',
      help: 'Instructions from the next turn on; empty: none',
    },
    mcp: {
      type: 'string',
      multiple: true,
      value: 'SERVER',
      help: 'An MCP server that the chat has from the next turn on; replaces all others',
    },
    'no-mcp': { type: 'boolean', help: 'No MCP servers from the next turn on' },
    ...JSON_OPTION,
  },
  examples: [['chatd chats update 019f2c10 --system-prompt "Be brief."', 'sets the system prompt']],
  async run({ values, positionals: [word = ''], context }) {
    const { title, 'system-prompt': prompt, mcp = [] } = values;
    const none = values['no-mcp'] === true;
    if (none && mcp.length > 0) throw usageError('Use --mcp or --no-mcp, not both.');
    const client = await context.client();
    const { id } = await findChat(client, word);
    const servers = await Promise.all(mcp.map((server) => findMcpServer(client, server)));
    const chat = await client.chats.update(id, {
      ...(title !== undefined && { title }),
      ...(prompt !== undefined && { system_prompt: prompt === '' ? null : prompt }),
      ...((none || mcp.length > 0) && { mcp_server_ids: servers.map((server) => server.id) }),
    });
    printRecord(context, chat, values.json);
    return EXIT.ok;
  },
});
