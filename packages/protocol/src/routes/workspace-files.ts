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
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({
      path: Path.default('.').describe('Relative to the root of the workspace'),
    }),
    answers: { 200: WorkspaceFolder },
    refusals: PATH_REFUSALS,
  }),
  getWorkspaceFile: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/content',
    tag,
    summary: 'Read a file of a workspace; of a very large one, its first 10 MiB (`X-File-Size`)',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({ path: Path }),
    answers: { 200: media('*/*') },
    refusals: PATH_REFUSALS,
  }),
  searchWorkspaceFiles: route({
    method: 'get',
    path: '/workspaces/{workspace_id}/files/search',
    tag,
    summary: 'Find files of a workspace by parts of their names, best first',
    scope: 'read',
    params: WorkspaceParams,
    query: z.strictObject({ q: z.string().max(500), limit: Limit }),
    answers: { 200: z.object({ paths: z.array(z.string()) }) },
    refusals: REFUSALS,
  }),
};
