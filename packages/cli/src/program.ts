import { acp } from './acp/acp.ts';
import { chat } from './chat/chat.ts';
import { chats } from './chats/chats.ts';
import { changes, undo } from './chats/changes.ts';
import { share } from './chats/share.ts';
import { type AnyCommand, command, type Run } from './command-line/command.ts';
import { backup, restore } from './commands/backup.ts';
import { doctor } from './commands/doctor.ts';
import { machine } from './commands/machine.ts';
import { login, logout } from './commands/login.ts';
import { serve } from './commands/serve.ts';
import { complete, completion } from './completion/completion.ts';
import { audit } from './resources/audit.ts';
import { files } from './resources/files.ts';
import { git } from './resources/git.ts';
import { groups } from './resources/groups.ts';
import { machines } from './resources/machines.ts';
import { mcpServers } from './resources/mcp-servers.ts';
import { models } from './resources/models.ts';
import { projects } from './resources/projects.ts';
import { providers } from './resources/providers.ts';
import { settings } from './resources/settings.ts';
import { templates } from './resources/templates.ts';
import { tokens } from './resources/tokens.ts';
import { triggers } from './resources/triggers.ts';
import { usage } from './resources/usage.ts';
import { users } from './resources/users.ts';
import { webhooks } from './resources/webhooks.ts';
import { workspaces } from './resources/workspaces.ts';
import { run as runPrompt } from './run/run.ts';

const GROUPS = [
  [
    'Chats',
    [
      chat,
      runPrompt,
      acp,
      chats,
      changes,
      undo,
      share,
      projects,
      triggers,
      workspaces,
      files,
      webhooks,
    ],
  ],
  ['Account', [login, logout, tokens, git, usage]],
  [
    'Administration',
    [models, providers, mcpServers, templates, machines, users, groups, audit, settings],
  ],
  ['Server', [serve, machine, doctor, backup, restore]],
  ['Shell', [completion]],
] as const;

/** The whole command line. */
export function createProgram(run: Run): AnyCommand {
  const program = command('chatd', 'Durable AI agents: server, terminal client and scripting', {
    examples: [
      ['chatd serve', 'Start a server'],
      ['chatd login', 'Sign in to it'],
      ['chatd chat', 'Chat in the terminal'],
      ['git diff | chatd run "Review this change"', 'Run a prompt from a script'],
    ],
  });
  for (const [heading, commands] of GROUPS) {
    program.commandsGroup(`${heading}:`);
    for (const create of commands) program.addCommand(create(run));
  }
  return program.addCommand(complete(run, program), { hidden: true });
}
