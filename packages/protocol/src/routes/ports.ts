import { z } from 'zod';
import { NoNextCursor } from '../page.ts';
import { Port, Preview } from '../port.ts';
import { routeWith } from '../route.ts';
import { describedAs } from '../text-value.ts';
import { WorkspaceParams } from './workspaces.ts';

const route = routeWith('Ports');

const PortNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/, 'must be 1 to 65535')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be 1 to 65535')
  .meta({
    ...describedAs({ type: 'integer', minimum: 1, maximum: 65_535 }),
    description: 'TCP port on the loopback interface of the workspace.',
  });

const REFUSALS = [
  'workspaces_disabled',
  'workspace_not_ready',
  'machine_offline',
  'port_unavailable',
] as const;

export const portRoutes = {
  listPorts: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/ports',
    summary: 'List the ports on which programs in a workspace listen',
    description: 'TCP ports of the loopback interface. Empty if the workspace is not open.',
    scope: 'read',
    access: 'editor',
    params: WorkspaceParams,
    answers: {
      200: z.object({
        ports: z.array(Port).describe('All ports, by number.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: REFUSALS,
  }),
  createPreview: route({
    method: 'post',
    path: '/workspaces/{workspace_id}/ports/{port}/preview',
    summary: 'Create a URL that shows a port of a workspace',
    description:
      'Forwards HTTP and WebSocket requests to the port. The URL has its own origin, so pages of the workspace cannot reach chatd. It requires a loopback address of chatd, or `CHATD_PREVIEW_DOMAIN`.',
    scope: 'write',
    params: WorkspaceParams.extend({ port: PortNumber }),
    answers: { 200: Preview },
    refusals: [...REFUSALS, 'previews_unavailable', 'secret_key_required'],
    secret: true,
  }),
};
