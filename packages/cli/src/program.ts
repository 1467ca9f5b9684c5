import { chat } from './chat/chat.ts';
import { chats } from './chats/chats.ts';
import { type Group, group } from './command-line/command.ts';
import { backup, restore } from './commands/backup.ts';
import { doctor } from './commands/doctor.ts';
import { login, logout } from './commands/login.ts';
import { serve } from './commands/serve.ts';
import { completing, completion } from './completion/completion.ts';
import { files } from './resources/files.ts';
import { mcpServers } from './resources/mcp-servers.ts';
import { models } from './resources/models.ts';
import { providers } from './resources/providers.ts';
import { settings } from './resources/settings.ts';
import { templates } from './resources/templates.ts';
import { tokens } from './resources/tokens.ts';
import { usage } from './resources/usage.ts';
import { users } from './resources/users.ts';
import { workspaces } from './resources/workspaces.ts';
import { run } from './run/run.ts';

/** The whole command line. */
export const program: Group = group({
  name: 'chatd',
  summary:
    'Durable AI agent conversations: the server, a terminal client, and prompts from scripts',
  examples: [
    ['chatd serve', 'start a server'],
    ['chatd login', 'remember where it is'],
    ['chatd chat', 'talk to it'],
    ['git diff | chatd run "Review this change"', 'from a script'],
  ],
  commands: [
    serve,
    login,
    logout,
    chat,
    run,
    chats,
    models,
    providers,
    mcpServers,
    templates,
    workspaces,
    files,
    users,
    tokens,
    usage,
    settings,
    doctor,
    backup,
    restore,
    completion,
    completing(() => program),
  ],
});
