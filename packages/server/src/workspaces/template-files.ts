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
  /** Invalid files, with the reason. */
  readonly problems: readonly string[];
}

/** Reads one template per JSON file. Its name defaults to the file name. */
export async function readTemplateFiles(directory: string): Promise<TemplateFiles> {
  const templates: KnownTemplate[] = [];
  const problems: string[] = [];
  const names = await readdir(directory).catch((error: unknown) => {
    problems.push(`reading the folder ${directory} failed: ${String(error)}`);
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

/** Derived from the name, so that every replica computes the same id. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(`chatd template file\0${name}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function describe(error: unknown): string {
  if (!(error instanceof z.ZodError)) return String(error);
  return error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ');
}
