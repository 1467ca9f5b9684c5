import type { KnownTemplate, Templates } from '../../workspaces/templates.ts';

export async function requireTemplate(
  templates: Templates,
  wanted: string,
): Promise<KnownTemplate> {
  const template = await templates.find(wanted);
  if (template !== undefined) return template;
  const names = (await templates.list()).map(({ name }) => name).join(', ');
  throw new Error(
    `Template ${wanted} does not exist. Available templates: ${names === '' ? 'none' : names}.`,
  );
}
