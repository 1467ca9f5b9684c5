import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { NoNextCursor } from '../page.ts';
import { Project, ProjectInstructions, ProjectName, PROJECTS_LIMIT } from '../project.ts';
import { routeWith } from '../route.ts';

const route = routeWith('Projects');
const ProjectParams = z.strictObject({ project_id: Uuid.describe('One of your projects.') });

const NewProject = z
  .strictObject({
    name: ProjectName.meta({
      description: 'Name of the project, unique among your projects.',
      examples: ['Shop'],
    }),
    instructions: ProjectInstructions.optional().describe(
      'Instructions for the agent in all chats of the project. Default: none.',
    ),
    model_config_id: Uuid.nullable()
      .optional()
      .describe('Model of new chats in the project. Null: the default model. Default: null.'),
  })
  .meta({ examples: [{ name: 'Shop', instructions: 'Answer in English.' }] });

export const projectRoutes = {
  listProjects: route({
    method: 'get',
    path: '/projects',
    summary: 'List your projects',
    description: 'Sorted by name. List the chats of one with `project_id` of `listChats`.',
    scope: 'read',
    answers: {
      200: z.object({
        projects: z.array(Project).describe('All projects.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createProject: route({
    method: 'post',
    path: '/projects',
    summary: 'Create a project',
    description: `You can have up to ${PROJECTS_LIMIT} projects. Other users cannot see them.`,
    scope: 'write',
    body: NewProject,
    answers: { 201: Project },
    refusals: ['project_name_taken', 'unknown_model_config', 'quota_exceeded'],
  }),
  getProject: route({
    method: 'get',
    path: '/projects/{project_id}',
    summary: 'Get a project',
    description: 'Includes its instructions.',
    scope: 'read',
    params: ProjectParams,
    answers: { 200: Project },
  }),
  updateProject: route({
    method: 'patch',
    path: '/projects/{project_id}',
    summary: 'Change a project',
    description:
      'Omitted fields do not change. Instructions apply to all chats of the project from their next turn on. The model applies to new chats.',
    scope: 'write',
    params: ProjectParams,
    body: NewProject.partial().meta({ examples: [{ instructions: 'Answer in English.' }] }),
    answers: { 200: Project },
    refusals: ['project_name_taken', 'unknown_model_config'],
  }),
  deleteProject: route({
    method: 'delete',
    path: '/projects/{project_id}',
    summary: 'Delete a project; its chats stay',
    description: 'Cannot be undone. The chats continue without the instructions of the project.',
    scope: 'write',
    params: ProjectParams,
    answers: { 204: null },
  }),
};
