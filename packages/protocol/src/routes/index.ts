import { accountRoutes } from './accounts.ts';
import { chatRoutes } from './chats.ts';
import { configurationRoutes } from './configuration.ts';
import { debugRecordRoutes } from './debug-record.ts';
import { desktopRoutes } from './desktops.ts';
import { fileRoutes } from './files.ts';
import { mcpServerRoutes } from './mcp-servers.ts';
import { messageRoutes } from './messages.ts';
import { modelConfigRoutes } from './model-configs.ts';
import { peopleRoutes } from './people.ts';
import { providerRoutes } from './providers.ts';
import { streamRoutes } from './streams.ts';
import { templateRoutes } from './templates.ts';
import { terminalRoutes } from './terminals.ts';
import { uiStreamRoutes } from './ui-stream.ts';
import { usageRoutes } from './usage.ts';
import { workspaceFileRoutes } from './workspace-files.ts';
import { workspaceRoutes } from './workspaces.ts';

/** The whole API, by the name of the call. */
export const routes = {
  ...chatRoutes,
  ...messageRoutes,
  ...peopleRoutes,
  ...streamRoutes,
  ...uiStreamRoutes,
  ...debugRecordRoutes,
  ...fileRoutes,
  ...usageRoutes,
  ...accountRoutes,
  ...providerRoutes,
  ...modelConfigRoutes,
  ...configurationRoutes,
  ...templateRoutes,
  ...workspaceRoutes,
  ...workspaceFileRoutes,
  ...terminalRoutes,
  ...desktopRoutes,
  ...mcpServerRoutes,
};

/** What the calls of a tag are about. */
export const TAGS = {
  Chats: 'Conversations: made, found, changed, interrupted, put away.',
  Messages: 'What is said in a chat, and what waits in its queue.',
  People: 'What an agent asks people: approvals and questions.',
  Streams: 'Chats as they happen.',
  'UI stream': 'A chat for front ends of the AI SDK.',
  'Debug record': 'Model calls as they were made, for admins.',
  Files: 'Files to attach to messages, and those that models and tools made.',
  Usage: 'What was used and what it cost.',
  Accounts: 'Users, their sessions and their tokens.',
  Providers: 'Where models come from, and their keys.',
  Models: 'Models that chats can name.',
  Configuration: 'Settings of the whole deployment.',
  Templates: 'What workspaces are made from.',
  Workspaces: 'Where agents run commands and keep files.',
  'Workspace files': 'The files of a workspace, for people.',
  Terminals: 'Shells in a workspace, for people.',
  Desktops: 'The screen of a workspace, to watch it and to take over.',
  'MCP servers': 'Servers whose tools agents can have.',
} as const satisfies Record<Routes[RouteName]['tag'], string>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
