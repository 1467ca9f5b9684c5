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
export type Routes = typeof routes;
export type RouteName = keyof Routes;
