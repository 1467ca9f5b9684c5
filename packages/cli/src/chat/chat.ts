import { findChat } from '../chats/find-chat.ts';
import { command, Option, type Run } from '../command-line/command.ts';
import { findModel, listModels } from '../resources/models.ts';
import { findProject } from '../resources/projects.ts';
import { createWorkspace, findWorkspace } from '../resources/workspaces.ts';
import { EFFORTS } from '../run/request.ts';

export const chat = (run: Run) =>
  command('chat', 'Chat with an agent in the terminal', {
    details: `The transcript stays in the scrollback of the terminal. Enter sends a message. While the agent works, Enter queues a message, Tab steers the turn and Esc interrupts it. /help lists all commands. The chat keeps running when you quit, and you can open it again from any machine.

Without a terminal, reads messages from stdin, one per line, and writes plain text.`,
    examples: [
      ['chatd chat', 'Start a chat'],
      ['chatd chat --resume', 'Choose one of your chats'],
      ['chatd chat 019f2c10', 'Open a chat; a unique prefix of the ID is enough'],
      ['chatd chat --template shop', 'Start a chat in a new workspace'],
    ],
  })
    .argument('[chat]')
    .option('-r, --resume', 'Choose one of your chats')
    .option('-m, --model <model>', 'Model, by name or ID')
    .addOption(new Option('-e, --effort <effort>', 'Reasoning effort').choices(EFFORTS))
    .option('--system <text>', 'System prompt of a new chat')
    .option('--project <project>', 'Project of a new chat')
    .option('-w, --workspace <workspace>', 'Workspace of a new chat')
    .option('--template <template>', 'Create a workspace from this template for a new chat')
    .action(
      run(async (context, id, options) => {
        const { log } = context;
        const client = await context.client();
        const model = options.model && (await findModel(client, options.model));
        const existing = id === undefined ? undefined : await findChat(client, id);
        const workspace =
          options.workspace !== undefined
            ? await findWorkspace(client, options.workspace)
            : options.template !== undefined
              ? await createWorkspace(client, options.template, { log })
              : undefined;
        const project =
          options.project === undefined ? undefined : await findProject(client, options.project);
        const defaults = {
          ...(model && { model }),
          ...(options.effort !== undefined && { effort: options.effort }),
          ...(options.system !== undefined && { system: options.system }),
          ...(project && { projectId: project.id }),
          ...(workspace && { workspaceId: workspace.id }),
        };
        if (!context.stdin.isTTY || !context.stdout.isTTY) {
          const { plainChat } = await import('./plain-chat.ts');
          return await plainChat(context, { client, existing, defaults });
        }
        // Imported only here, because the Markdown parser slows down the start of other commands.
        const { TerminalChat } = await import('./terminal-chat.ts');
        const { pickChat } = await import('./slash-commands.ts');
        const terminal = new TerminalChat(context, client, defaults);
        return await terminal.run(async (session) => {
          const chosen = options.resume === true ? await pickChat(session) : existing;
          if (chosen === undefined) session.startNew();
          else session.open(chosen);
          terminal.setModels(await listModels(client));
        });
      }),
    );
