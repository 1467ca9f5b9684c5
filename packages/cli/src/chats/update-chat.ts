import { collect, command, JSON_OPTION, type Run } from '../command-line/command.ts';
import { printRecord } from '../output/listing.ts';
import { findMcpServer } from '../resources/mcp-servers.ts';
import { findProject } from '../resources/projects.ts';
import { findChat } from './find-chat.ts';

export const updateChat = (run: Run) =>
  command('update', 'Change the title, project, system prompt or MCP servers of a chat', {
    examples: [
      ['chatd chats update 019f2c10 --system-prompt "Be brief."', 'Set the system prompt'],
    ],
  })
    .argument('<chat>')
    .option('--title <text>', 'Title')
    .option('--project <project>', 'Move the chat to this project')
    .option('--no-project', 'Remove the chat from its project')
    .option('--system-prompt <text>', 'System prompt from the next turn on; empty to remove it')
    .option(
      '--mcp <server>',
      'MCP server from the next turn on; replaces the current ones. Repeatable',
      collect,
    )
    .option('--no-mcp', 'Remove all MCP servers from the next turn on')
    .addOption(JSON_OPTION)
    .action(
      run(async (context, word, { title, project, systemPrompt, mcp, json }) => {
        const client = await context.client();
        const { id } = await findChat(client, word);
        const names = mcp === false ? [] : mcp;
        const servers =
          names && (await Promise.all(names.map((name) => findMcpServer(client, name))));
        const project_id =
          typeof project === 'string' ? (await findProject(client, project)).id : null;
        const chat = await client.chats.update(id, {
          ...(title !== undefined && { title }),
          ...(project !== undefined && { project_id }),
          ...(systemPrompt !== undefined && {
            system_prompt: systemPrompt === '' ? null : systemPrompt,
          }),
          ...(servers && { mcp_server_ids: servers.map((server) => server.id) }),
        });
        printRecord(context, chat, json);
      }),
    );
