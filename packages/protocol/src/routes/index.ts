import { accountRoutes } from './accounts.ts';
import { agUiRoutes } from './ag-ui.ts';
import { auditEventRoutes } from './audit-events.ts';
import { checkpointRoutes } from './checkpoints.ts';
import { chatRoutes } from './chats.ts';
import { configurationRoutes } from './configuration.ts';
import { debugRecordRoutes } from './debug-record.ts';
import { desktopRoutes } from './desktops.ts';
import { fileRoutes } from './files.ts';
import { gitRoutes } from './git.ts';
import { groupRoutes } from './groups.ts';
import { machineRoutes } from './machines.ts';
import { mcpServerRoutes } from './mcp-servers.ts';
import { messageRoutes } from './messages.ts';
import { modelConfigRoutes } from './model-configs.ts';
import { approvalRoutes } from './approvals.ts';
import { notificationRoutes } from './notifications.ts';
import { portRoutes } from './ports.ts';
import { projectRoutes } from './projects.ts';
import { providerRoutes } from './providers.ts';
import { sharingRoutes } from './sharing.ts';
import { signInRoutes } from './sign-in.ts';
import { streamRoutes } from './streams.ts';
import { templateRoutes } from './templates.ts';
import { terminalRoutes } from './terminals.ts';
import { triggerRoutes } from './triggers.ts';
import { uiStreamRoutes } from './ui-stream.ts';
import { usageRoutes } from './usage.ts';
import { webhookRoutes } from './webhooks.ts';
import { workspaceFileRoutes } from './workspace-files.ts';
import { workspaceRoutes } from './workspaces.ts';

/** All operations of the API by name. */
export const routes = {
  ...chatRoutes,
  ...projectRoutes,
  ...sharingRoutes,
  ...messageRoutes,
  ...approvalRoutes,
  ...streamRoutes,
  ...uiStreamRoutes,
  ...agUiRoutes,
  ...triggerRoutes,
  ...debugRecordRoutes,
  ...fileRoutes,
  ...usageRoutes,
  ...accountRoutes,
  ...groupRoutes,
  ...signInRoutes,
  ...auditEventRoutes,
  ...providerRoutes,
  ...modelConfigRoutes,
  ...configurationRoutes,
  ...templateRoutes,
  ...machineRoutes,
  ...workspaceRoutes,
  ...gitRoutes,
  ...workspaceFileRoutes,
  ...checkpointRoutes,
  ...portRoutes,
  ...terminalRoutes,
  ...desktopRoutes,
  ...mcpServerRoutes,
  ...webhookRoutes,
  ...notificationRoutes,
};

export const TAGS = {
  Chats: 'Create, find, change, interrupt and archive chats.',
  Sharing: 'Chats that several people use.',
  Projects: 'Folders of chats with their own instructions and model.',
  Messages: 'Messages of a chat, and its queue.',
  Approvals: 'Approvals and questions of agents.',
  Streams: 'Live updates of chats.',
  'UI stream': 'Chats for AI SDK front ends.',
  'AG-UI': 'Chats for AG-UI front ends.',
  Triggers: 'Schedules and webhooks that start chats.',
  'Debug record': 'Recorded model calls, for admins.',
  Files: 'Uploaded files, and files created by models and tools.',
  Usage: 'Token usage and cost.',
  Accounts: 'Users, sessions and API tokens.',
  Groups: 'Groups of users, with spend limits and access to restricted models.',
  'Sign-in': 'Ways to sign in, and logins of the command line.',
  'Audit log': 'Security-relevant changes, for admins and auditors.',
  Providers: 'Model providers and their API keys.',
  Models: 'Configured models.',
  Configuration: 'Settings of the deployment.',
  Templates: 'Blueprints for workspaces.',
  Machines: 'Computers that host workspaces.',
  Workspaces: 'Sandboxes in which agents run commands and keep files.',
  Git: 'Connections to git hosts, pushes, and pull requests.',
  'Workspace files': 'Files in a workspace.',
  Checkpoints: 'Recorded states of the files of a workspace, to compare and restore.',
  Ports: 'Programs in a workspace that listen on a port.',
  Terminals: 'Shells in a workspace.',
  Desktops: 'Desktop of a workspace, to watch and control.',
  'MCP servers': 'MCP servers, which provide tools to agents.',
  Webhooks: 'URLs that get events of chats.',
  Notifications: 'Notifications of browsers.',
} as const satisfies Record<Routes[RouteName]['tag'], string>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
