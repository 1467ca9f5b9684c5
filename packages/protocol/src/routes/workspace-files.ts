import { z } from 'zod';
import { Limit } from '../page.ts';
import { media, routeWith } from '../route.ts';
import { WorkspaceFolder } from '../workspace-file.ts';
import { WorkspaceParams } from './workspaces.ts';

const route = routeWith('Workspace files');

const Path = z.string().max(4096);

const REFUSALS = [
  'invalid_query',
  'workspaces_disabled',
  'workspace_not_ready',
  'machine_offline',
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
    summary: 'List a folder of a workspace',
    description: 'Includes hidden and ignored files. Also works if the workspace is stopped.',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.default('.').describe('Folder, relative to the workspace root.'),
    }),
    answers: { 200: WorkspaceFolder },
    refusals: PATH_REFUSALS,
  }),
  getWorkspaceFile: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/content',
    summary: 'Read a file of a workspace',
    description:
      'Returns at most the first 10 MiB; `X-File-Size` is the full size. The `Content-Type` is detected from the content: plain text, an image, or `application/octet-stream`. Browsers do not execute the content.',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.meta({
        description: 'File, relative to the workspace root.',
        examples: ['README.md'],
      }),
    }),
    answers: { 200: media('*/*') },
    refusals: PATH_REFUSALS,
  }),
  searchWorkspaceFiles: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/search',
    summary: 'Find files of a workspace by parts of their names',
    description:
      'A fuzzy search for interactive use: `chstr` finds `src/chat-stream.ts`. Omits ignored files; new files appear within 5 seconds.',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      q: z
        .string()
        .max(500)
        .meta({
          description:
            'Letters that the path contains in this order. Empty: all files, short paths first.',
          examples: ['chstr'],
        }),
      limit: Limit,
    }),
    answers: {
      200: z.object({
        paths: z.array(z.string()).meta({
          description: 'Paths relative to the workspace root, best match first.',
          examples: [['src/chat-stream.ts']],
        }),
      }),
    },
    refusals: REFUSALS,
  }),
};
