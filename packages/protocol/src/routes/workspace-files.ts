import { z } from 'zod';
import { Limit } from '../page.ts';
import { media, route } from '../route.ts';
import { WorkspaceFolder } from '../workspace-file.ts';
import { WorkspaceParams } from './workspaces.ts';

const tag = 'Workspace files';

const Path = z.string().max(4096);

const REFUSALS = [
  'invalid_query',
  'workspaces_disabled',
  'workspace_not_ready',
  'workspace_elsewhere',
] as const;

const PATH_REFUSALS = [
  ...REFUSALS,
  'path_outside',
  'path_not_found',
  'not_a_file',
  'not_a_folder',
  'file_unreadable',
] as const;

export const workspaceFileRoutes = {
  listWorkspaceFiles: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files',
    tag,
    summary: 'List a folder of a workspace',
    description:
      'Hidden and ignored files are listed, too. A stopped workspace is opened for just that.',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.default('.').describe('A folder, relative to the root of the workspace.'),
    }),
    answers: { 200: WorkspaceFolder },
    refusals: PATH_REFUSALS,
  }),
  getWorkspaceFile: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/content',
    tag,
    summary: 'Read a file of a workspace; of a very large one, its first 10 MiB (`X-File-Size`)',
    description:
      'Its `Content-Type` is told by what is in it: plain text, an image, or `application/octet-stream`. Nothing in it runs in a browser.',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.meta({
        description: 'A file, relative to the root of the workspace.',
        examples: ['README.md'],
      }),
    }),
    answers: { 200: media('*/*') },
    refusals: PATH_REFUSALS,
  }),
  searchWorkspaceFiles: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/search',
    tag,
    summary: 'Find files of a workspace by parts of their names, best first',
    description:
      'For what somebody types: `chstr` finds `src/chat-stream.ts`. Ignored files are left out; new ones are found after 5 seconds at most.',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      q: z
        .string()
        .max(500)
        .meta({
          description:
            'Letters that the path has in this order. Empty: all files, short paths first.',
          examples: ['chstr'],
        }),
      limit: Limit,
    }),
    answers: {
      200: z.object({
        paths: z.array(z.string()).meta({
          description: 'Relative to the root of the workspace, best first.',
          examples: [['src/chat-stream.ts']],
        }),
      }),
    },
    refusals: REFUSALS,
  }),
};
