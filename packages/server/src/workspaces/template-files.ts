import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TemplateDefinition, TemplateName } from '@chatd/protocol';
import { z } from 'zod';
import type { KnownTemplate } from './templates.ts';

const TemplateFile = z.strictObject({
  name: TemplateName.optional(),
  ...TemplateDefinition.shape,
});

export interface TemplateFiles {
  readonly templates: readonly KnownTemplate[];
  /** Files that are none, with what is wrong with them. */
  readonly problems: readonly string[];
}

/** The templates in a folder: one JSON file each, called what the file is called unless it says otherwise. */
export async function readTemplateFiles(directory: string): Promise<TemplateFiles> {
  const templates: KnownTemplate[] = [];
  const problems: string[] = [];
  const names = await readdir(directory).catch((error: unknown) => {
    problems.push(`the folder ${directory} cannot be read: ${String(error)}`);
    return [];
  });
  for (const file of names.filter((name) => name.endsWith('.json')).sort()) {
    const path = join(directory, file);
    try {
      const { name = basename(file, '.json'), ...definition } = TemplateFile.parse(
        JSON.parse(await readFile(path, 'utf8')),
      );
      templates.push({ id: idOf(name), name, definition, from_file: true });
    } catch (error) {
      problems.push(`${path}: ${describe(error)}`);
    }
  }
  return { templates, problems };
}

/** The same for the same name on every machine and after every start. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(`chatd template file\0${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function describe(error: unknown): string {
  if (!(error instanceof z.ZodError)) return String(error);
  return error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}
