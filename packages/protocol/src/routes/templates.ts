import { z } from 'zod';
import { Uuid } from '../ids.ts';
import { route } from '../route.ts';
import { Template, TemplateDefinition, TemplateName, TemplateSource } from '../template.ts';

const tag = 'Templates';
const TemplateParams = z.strictObject({ template_id: Uuid });

const NewTemplate = z.strictObject({ name: TemplateName, ...TemplateDefinition.shape });

export const templateRoutes = {
  listTemplates: route({
    method: 'get',
    path: '/templates',
    tag,
    summary: 'List what workspaces can be made from; the environment is shown to admins',
    scope: 'read',
    answers: { 200: z.object({ templates: z.array(Template) }) },
    refusals: [],
  }),
  createTemplate: route({
    method: 'post',
    path: '/templates',
    tag,
    summary: 'Add a template',
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
    scope: 'admin',
    params: TemplateParams,
    body: NewTemplate.partial().extend({
      source: TemplateSource.nullable().optional(),
      image: NewTemplate.shape.image.nullable(),
    }),
    answers: { 200: Template },
    refusals: ['template_name_taken', 'template_from_file'],
  }),
  deleteTemplate: route({
    method: 'delete',
    path: '/templates/{template_id}',
    tag,
    summary: 'Delete a template; workspaces that were made from it stay',
    scope: 'admin',
    params: TemplateParams,
    answers: { 204: null },
    refusals: ['template_from_file'],
  }),
};
