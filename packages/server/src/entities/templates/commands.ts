import type { Routes, TemplateDefinition } from '@chatd/protocol';
import type { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import { noRowsIfTaken } from '../../store/constraint.ts';
import { toJson } from '../../store/json.ts';
import { deleteTemplate, insertTemplate, updateTemplate } from '../../store/queries/templates.ts';
import type { Queryable } from '../../store/statement.ts';
import { uuidv7 } from '../../store/uuid.ts';
import type { KnownTemplate, Templates } from '../../workspaces/templates.ts';
import { requireTemplate } from './queries.ts';

type NewTemplate = z.output<Routes['createTemplate']['body']>;
type TemplateChange = z.output<Routes['updateTemplate']['body']>;
type PlannedTemplate = Pick<KnownTemplate, 'name' | 'definition'>;

/** Changes templates in the database. Templates from files are read-only. */
export class TemplateCommands {
  readonly #templates: Templates;

  constructor(templates: Templates) {
    this.#templates = templates;
  }

  async create({ name, ...definition }: NewTemplate, db: Queryable): Promise<KnownTemplate> {
    checkDefinition(definition);
    await this.#requireFreeName(name, db);
    const [row] = await db.query(insertTemplate, {
      id: uuidv7(),
      ...columnsOf({ name, definition }),
    });
    if (row === undefined) throw nameTaken(name);
    return { ...row, from_file: false };
  }

  async update(id: string, change: TemplateChange, db: Queryable): Promise<KnownTemplate> {
    const planned = planTemplate(await this.#requireStored(id, db), change);
    await this.#requireFreeName(planned.name, db, id);
    const [row] = await noRowsIfTaken(db.query(updateTemplate, { id, ...columnsOf(planned) }));
    if (row === undefined) throw nameTaken(planned.name);
    return { ...row, from_file: false };
  }

  async delete(id: string, db: Queryable): Promise<void> {
    await this.#requireStored(id, db);
    await db.query(deleteTemplate, { id });
  }

  async #requireStored(id: string, db: Queryable): Promise<KnownTemplate> {
    const template = await requireTemplate(this.#templates, id, db);
    if (!template.from_file) return template;
    throw new Refused(
      'template_from_file',
      `The template ${template.name} comes from a file in the templates folder. Change the file instead.`,
    );
  }

  async #requireFreeName(name: string, db: Queryable, own?: string): Promise<void> {
    const all = await this.#templates.list(db);
    if (all.some((one) => one.name === name && one.id !== own)) throw nameTaken(name);
  }
}

/** The template after a change. Null removes a field. */
function planTemplate(
  before: PlannedTemplate,
  { name = before.name, ...changes }: TemplateChange,
): PlannedTemplate {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const merged = Object.entries({ ...before.definition, ...Object.fromEntries(given) });
  const definition = Object.fromEntries(
    merged.filter(([, value]) => value !== null),
  ) as TemplateDefinition;
  checkDefinition(definition);
  return { name, definition };
}

function checkDefinition({ driver, network }: TemplateDefinition): void {
  if (driver !== 'docker' || typeof network !== 'object') return;
  throw new Refused(
    'invalid_request',
    'The docker driver has no network allowlist. Use the driver host, or the network none or internet.',
  );
}

/** Omits the default network "none": replicas of earlier versions read every value of it as access. */
function columnsOf({ name, definition: { network, ...definition } }: PlannedTemplate) {
  const isStored = network !== undefined && network !== 'none';
  return { name, definition: toJson({ ...definition, ...(isStored && { network }) }) };
}

const nameTaken = (name: string) =>
  new Refused('template_name_taken', `A template named ${name} already exists.`);
