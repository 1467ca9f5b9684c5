import type { TemplateDefinition } from '@chatd/protocol';
import { actsAsAdmin } from '../../auth/caller.ts';
import { toJson } from '../../store/json.ts';
import { deleteTemplate, insertTemplate, updateTemplate } from '../../store/queries/templates.ts';
import type { Queryable } from '../../store/statement.ts';
import { uuidv7 } from '../../store/uuid.ts';
import { type KnownTemplate, Templates } from '../../workspaces/templates.ts';
import type { HandlersOf } from '../call.ts';
import { presentTemplate } from '../../present/template.ts';
import { notFound, Refused } from '../../chat/refused.ts';
import type { Services } from '../services.ts';

export function templateHandlers({ store, workspaces, log }: Services): HandlersOf<'Templates'> {
  // Without workspaces there are no files of templates either, and what is stored can still be seen to.
  const templates =
    workspaces?.templates ?? new Templates({ database: store.database, directory: undefined, log });

  const demand = async (id: string, db: Queryable): Promise<KnownTemplate> => {
    const found = (await templates.list(db)).find((template) => template.id === id);
    if (found === undefined) throw notFound();
    return found;
  };

  const demandFree = async (name: string, db: Queryable, own?: string): Promise<void> => {
    const taken = (await templates.list(db)).some((one) => one.name === name && one.id !== own);
    if (taken) throw nameTaken(name);
  };

  return {
    async listTemplates({ caller, db }) {
      const all = await templates.list(db);
      const forAdmin = actsAsAdmin(caller);
      return {
        status: 200,
        body: {
          templates: all.map((one) => presentTemplate(one, forAdmin)),
          next_cursor: null,
        },
      };
    },

    async createTemplate({ body, db }) {
      const { name, ...definition } = body;
      demandNetworkSupport(definition);
      await demandFree(name, db);
      const [row] = await db.query(insertTemplate, {
        id: uuidv7(),
        name,
        definition: toJson(stored(definition)),
      });
      if (row === undefined) throw nameTaken(name);
      return { status: 201, body: presentTemplate({ ...row, from_file: false }, true) };
    },

    async getTemplate({ params, db }) {
      return { status: 200, body: presentTemplate(await demand(params.template_id, db), true) };
    },

    async updateTemplate({ params, body, db }) {
      const template = changeable(await demand(params.template_id, db));
      const { name = template.name, ...changes } = body;
      await demandFree(name, db, template.id);
      const definition = changed(template.definition, changes);
      demandNetworkSupport(definition);
      const [row] = await db.query(updateTemplate, {
        id: template.id,
        name,
        definition: toJson(stored(definition)),
      });
      if (row === undefined) throw nameTaken(name);
      return { status: 200, body: presentTemplate({ ...row, from_file: false }, true) };
    },

    async deleteTemplate({ params, db }) {
      const { id } = changeable(await demand(params.template_id, db));
      await db.query(deleteTemplate, { id });
      return { status: 204 };
    },
  };
}

function demandNetworkSupport({ driver, network }: TemplateDefinition): void {
  if (driver !== 'docker' || typeof network !== 'object') return;
  throw new Refused(
    'invalid_request',
    'The docker driver has no network allowlist. Use the driver host, or the network none or internet.',
  );
}

/** Without the network "none", which is the default: replicas of earlier versions read every value of it as access. */
const stored = ({ network, ...definition }: TemplateDefinition): TemplateDefinition => ({
  ...definition,
  ...(network !== undefined && network !== 'none' && { network }),
});

function changeable(template: KnownTemplate): KnownTemplate {
  if (!template.from_file) return template;
  throw new Refused(
    'template_from_file',
    `The template ${template.name} comes from a file in the folder of templates: change that.`,
  );
}

const nameTaken = (name: string) =>
  new Refused('template_name_taken', `There is a template with the name ${name} already.`);

const changed = (before: TemplateDefinition, changes: object): TemplateDefinition => {
  const said = Object.entries(changes).filter(([, value]) => value !== undefined);
  const kept = Object.entries({ ...before, ...Object.fromEntries(said) });
  return Object.fromEntries(kept.filter(([, value]) => value !== null)) as TemplateDefinition;
};
