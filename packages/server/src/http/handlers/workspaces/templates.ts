import { actsAsAdmin } from '../../../auth/caller.ts';
import { TemplateCommands } from '../../../entities/templates/commands.ts';
import { presentTemplate } from '../../../entities/templates/present.ts';
import { requireTemplate } from '../../../entities/templates/queries.ts';
import { Templates } from '../../../workspaces/templates.ts';
import type { HandlersOf } from '../../call.ts';
import type { Services } from '../../services.ts';

export function templateHandlers({ store, workspaces, log }: Services): HandlersOf<'Templates'> {
  // With workspaces disabled, the templates in the database can still be managed.
  const templates =
    workspaces?.templates ?? new Templates({ database: store.database, directory: undefined, log });
  const commands = new TemplateCommands(templates);

  return {
    async listTemplates({ caller, db }) {
      const forAdmin = actsAsAdmin(caller);
      const shown = (await templates.list(db)).map((one) => presentTemplate(one, forAdmin));
      return { status: 200, body: { templates: shown, next_cursor: null } };
    },

    createTemplate: async ({ body, db }) => ({
      status: 201,
      body: presentTemplate(await commands.create(body, db), true),
    }),

    getTemplate: async ({ params, db }) => ({
      status: 200,
      body: presentTemplate(await requireTemplate(templates, params.template_id, db), true),
    }),

    updateTemplate: async ({ params, body, db }) => ({
      status: 200,
      body: presentTemplate(await commands.update(params.template_id, body, db), true),
    }),

    async deleteTemplate({ params, db }) {
      await commands.delete(params.template_id, db);
      return { status: 204 };
    },
  };
}
