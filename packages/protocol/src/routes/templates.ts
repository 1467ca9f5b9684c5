import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { NoNextCursor } from '../page.ts';
import { routeWith } from '../route.ts';
import {
  Template,
  TemplateDefinition,
  TemplateMachine,
  TemplateName,
  TemplateSource,
} from '../template.ts';

const route = routeWith('Templates');
const TemplateParams = z.strictObject({ template_id: Uuid.describe('ID of the template.') });

const NewTemplate = z.strictObject({
  name: TemplateName.meta({
    description: 'Unique name, without control characters. Agents use it to choose a template.',
    examples: ['shop'],
  }),
  ...TemplateDefinition.shape,
});

export const templateRoutes = {
  listTemplates: route({
    method: 'get',
    path: '/templates',
    summary: 'List templates',
    description:
      'Sorted by name. Includes templates from files. The environment variables are visible to admins only.',
    scope: 'read',
    answers: {
      200: z.object({
        templates: z.array(Template).describe('All templates.'),
        next_cursor: NoNextCursor,
      }),
    },
  }),
  createTemplate: route({
    method: 'post',
    path: '/templates',
    summary: 'Add a template',
    description: 'The template is not tested: the first workspace shows whether its setup works.',
    scope: 'admin',
    body: NewTemplate,
    answers: { 201: Template },
    refusals: ['template_name_taken'],
    audit: { action: 'template.create', values: ['name', 'driver'] },
  }),
  getTemplate: route({
    method: 'get',
    path: '/templates/{template_id}',
    summary: 'Get a template',
    description: 'Includes its environment variables.',
    scope: 'admin',
    params: TemplateParams,
    answers: { 200: Template },
  }),
  updateTemplate: route({
    method: 'patch',
    path: '/templates/{template_id}',
    summary: 'Change a template; null clears the source, the image, the machine or the MCP servers',
    description: 'Omitted fields do not change. Existing workspaces do not change.',
    scope: 'admin',
    params: TemplateParams,
    body: NewTemplate.partial().extend({
      source: TemplateSource.nullable()
        .optional()
        .describe("Source of the workspace's files. Null: workspaces start empty."),
      machine: TemplateMachine.nullable()
        .optional()
        .describe('Machines that can host the workspaces. Null: any machine.'),
      mcp_servers: NewTemplate.shape.mcp_servers
        .nullable()
        .describe('MCP servers that run in the sandbox of each workspace, by name. Null: none.'),
      image: NewTemplate.shape.image
        .nullable()
        .describe('Container image, with the driver `docker`. Null: `debian:stable-slim`.'),
    }),
    answers: { 200: Template },
    refusals: ['template_name_taken', 'template_from_file'],
    audit: { action: 'template.update', values: ['name', 'driver'] },
  }),
  deleteTemplate: route({
    method: 'delete',
    path: '/templates/{template_id}',
    summary: 'Delete a template; existing workspaces stay',
    description: 'Cannot be undone. To delete a template from a file, delete the file.',
    scope: 'admin',
    params: TemplateParams,
    answers: { 204: null },
    refusals: ['template_from_file'],
    audit: { action: 'template.delete' },
  }),
};
