import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { NoNextCursor } from '../page.ts';
import { route } from '../route.ts';
import { Template, TemplateDefinition, TemplateName, TemplateSource } from '../template.ts';

const tag = 'Templates';
const TemplateParams = z.strictObject({ template_id: Uuid.describe('The template.') });

const NewTemplate = z.strictObject({
  name: TemplateName.meta({
    description: 'Unique, without control characters. Agents know it by this.',
    examples: ['shop'],
  }),
  ...TemplateDefinition.shape,
});

export const templateRoutes = {
  listTemplates: route({
    method: 'get',
    path: '/templates',
    tag,
    summary: 'List what workspaces can be made from; the environment is shown to admins',
    description: 'By name, those of files among them.',
    scope: 'read',
    answers: {
      200: z.object({
        templates: z.array(Template).describe('All of them.'),
        next_cursor: NoNextCursor,
      }),
    },
    refusals: [],
  }),
  createTemplate: route({
    method: 'post',
    path: '/templates',
    tag,
    summary: 'Add a template',
    description: 'It is not tried out: the first workspace shows whether its set-up runs.',
    scope: 'admin',
    body: NewTemplate,
    answers: { 201: Template },
    refusals: ['template_name_taken'],
  }),
  getTemplate: route({
    method: 'get',
    path: '/templates/{template_id}',
    tag,
    summary: 'Get a template',
    description: 'With its environment.',
    scope: 'admin',
    params: TemplateParams,
    answers: { 200: Template },
    refusals: [],
  }),
  updateTemplate: route({
    method: 'patch',
    path: '/templates/{template_id}',
    tag,
    summary:
      'Change a template; null takes a source or an image away. Workspaces that were made from it stay as they are',
    description: 'What is left out stays as it is.',
    scope: 'admin',
    params: TemplateParams,
    body: NewTemplate.partial().extend({
      source: TemplateSource.nullable()
        .optional()
        .describe('Where the files of workspaces come from. Null: they begin empty.'),
      image: NewTemplate.shape.image
        .nullable()
        .describe('Of the container, for the driver `docker`. Null: `debian:stable-slim`.'),
    }),
    answers: { 200: Template },
    refusals: ['template_name_taken', 'template_from_file'],
  }),
  deleteTemplate: route({
    method: 'delete',
    path: '/templates/{template_id}',
    tag,
    summary: 'Delete a template; workspaces that were made from it stay',
    description: 'It cannot be undone. One from a file is deleted there.',
    scope: 'admin',
    params: TemplateParams,
    answers: { 204: null },
    refusals: ['template_from_file'],
  }),
};
