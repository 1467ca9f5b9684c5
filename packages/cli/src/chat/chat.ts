import { action } from '../command-line/command.ts';
import { findChat } from '../chats/find-chat.ts';
import { findModel, listModels } from '../resources/models.ts';
import { findWorkspace, makeWorkspace } from '../resources/workspaces.ts';
import { type Effort, EFFORTS } from '../run/request.ts';
import { Conversation } from './conversation.ts';
import { plainChat } from './plain-chat.ts';
import { pickChat } from './slash-commands.ts';
import { TerminalChat } from './terminal-chat.ts';

export const chat = action({
  name: 'chat',
  summary: 'Talk to an agent in the terminal',
  details: `What is said stays in the terminal's scrollback. Enter sends; while the agent works, Enter queues, Tab
steers and Esc stops it. /help lists the commands. Leaving leaves the chat running: come back to it
whenever you like, from wherever you like. Without a terminal it reads and writes plain lines.`,
  positionals: [{ name: 'CHAT', optional: true }],
  options: {
    resume: { type: 'boolean', short: 'r', help: 'Choose one of your chats' },
    model: { type: 'string', short: 'm', value: 'MODEL', help: 'By name or id' },
    effort: { type: 'string', short: 'e', choices: EFFORTS, help: 'How much it thinks' },
    system: { type: 'string', value: 'TEXT', help: 'The system prompt of a new chat' },
    workspace: { type: 'string', short: 'w', value: 'WORKSPACE', help: 'A new chat works in this' },
    template: { type: 'string', value: 'TEMPLATE', help: 'Or in a new one made from this' },
  },
  examples: [
    ['chatd chat', 'a new chat'],
    ['chatd chat --resume', 'choose one'],
    ['chatd chat 019f2c10', 'the beginning of an id is enough'],
    ['chatd chat --template shop', 'with a workspace to work in'],
  ],
  async run({ values, positionals: [id], context }) {
    const client = await context.client();
    const model = values.model === undefined ? undefined : await findModel(client, values.model);
    const existing = id === undefined ? undefined : await findChat(client, id);
    const workspace =
      values.workspace !== undefined
        ? await findWorkspace(client, values.workspace)
        : values.template !== undefined
          ? await makeWorkspace(client, values.template, { say: context.say })
          : undefined;
    const beginning = {
      ...(model && { model }),
      ...(values.effort !== undefined && { effort: values.effort as Effort }),
      ...(values.system !== undefined && { system: values.system }),
      ...(workspace && { workspaceId: workspace.id }),
    };
    if (!context.stdin.isTTY || !context.stdout.isTTY) {
      return await plainChat(context, { client, existing, beginning });
    }
    const terminal = new TerminalChat(
      context,
      (desk) =>
        new Conversation(
          client,
          {
            onChat: (opened, isNew) => desk.showChat(opened, isNew),
            onEvent: (event) => desk.showEvent(event),
            onConnection: (state) => desk.showConnection(state),
            onError: (error) => desk.showError(error),
          },
          beginning,
        ),
    );
    return await terminal.run(async (desk) => {
      const chosen = values.resume === true ? await pickChat(desk) : existing;
      if (chosen === undefined) desk.startNew();
      else desk.open(chosen);
      terminal.setModels(await listModels(client));
    });
  },
});
