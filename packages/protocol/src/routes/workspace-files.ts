import { z } from 'zod';
import { Limit } from '../page.ts';
import { media, routeWith } from '../route.ts';
import { WorkspaceFileVersion, WorkspaceFolder } from '../workspace-file.ts';
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
    access: 'viewer',
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
      'Returns at most the first 10 MiB; `X-File-Size` is the full size, and `X-File-Version` the SHA-256 of a file that is not longer. The `Content-Type` is detected from the content: plain text, an image, or `application/octet-stream`. Browsers do not execute the content.',
    scope: 'read',
    access: 'viewer',
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
  writeWorkspaceFile: route({
    method: 'post',
    path: '/workspaces/{workspace_id}/files/content',
    summary: 'Write a file of a workspace',
    description:
      'The body is the content, at most 10 MiB. Creates missing folders. A reader sees the old or the new content, never a part. With `if_version`, a file that changed in the meantime is not overwritten (`file_changed`).',
    scope: 'write',
    access: 'editor',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.min(1).meta({
        description: 'File, relative to the workspace root.',
        examples: ['README.md'],
      }),
      if_version: z
        .string()
        .regex(/^([0-9a-f]{64}|none)$/, 'must be a SHA-256 in hex, or none')
        .optional()
        .describe(
          'Version of the file that you read (`X-File-Version`). `none`: only if the file does not exist. Default: overwrite.',
        ),
    }),
    body: media('*/*'),
    answers: { 200: WorkspaceFileVersion },
    refusals: [...PATH_REFUSALS, 'unsupported_media_type', 'file_changed'],
    secret: true,
  }),
  downloadWorkspaceFiles: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/download',
    summary: 'Download a file of any size, or a folder as a ZIP archive',
    description:
      'An archive contains files and folders, without symbolic links: at most 50,000 entries and 2 GiB.',
    scope: 'read',
    access: 'viewer',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.default('.').describe('File or folder, relative to the workspace root.'),
    }),
    answers: { 200: media('*/*') },
    refusals: [...PATH_REFUSALS, 'folder_too_large'],
  }),
  searchWorkspaceFiles: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/search',
    summary: 'Find files of a workspace by parts of their names',
    description:
      'A fuzzy search for interactive use: `chstr` finds `src/chat-stream.ts`. Omits ignored files; new files appear within 5 seconds.',
    scope: 'read',
    access: 'viewer',
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
