import { ProjectCommands } from '../../entities/projects/commands.ts';
import { presentProject } from '../../entities/projects/present.ts';
import { listProjects } from '../../store/queries/chats/projects.ts';
import type { HandlersOf } from '../call.ts';
import type { Services } from '../services.ts';

export function projectHandlers({ store }: Services): HandlersOf<'Projects'> {
  const commands = new ProjectCommands(store);
  return {
    async listProjects({ caller, db }) {
      const rows = await db.query(listProjects, { owner_id: caller.user.id });
      return { status: 200, body: { projects: rows.map(presentProject), next_cursor: null } };
    },

    createProject: async ({ caller, body, tx }) => ({
      status: 201,
      body: presentProject(await commands.create(caller.user.id, body, tx)),
    }),

    getProject: async ({ found }) => ({ status: 200, body: presentProject(found.project) }),

    updateProject: async ({ found, body, db }) => ({
      status: 200,
      body: presentProject(await commands.update(found.project, body, db)),
    }),

    async deleteProject({ found }) {
      await commands.delete(found.project);
      return { status: 204 };
    },
  };
}
