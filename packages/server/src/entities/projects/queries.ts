import { Refused } from '../../chat/refused.ts';
import { projectOfNewChat } from '../../store/queries/chats/projects.ts';
import type { Queryable } from '../../store/statement.ts';

/** Refuses a project that is not one of the owner's. Undefined: none was requested. */
export async function requestedProject(
  db: Queryable,
  id: string | null | undefined,
  owner_id: string,
): Promise<{ readonly id: string; readonly model_config_id: string | null } | undefined> {
  if (id === null || id === undefined) return undefined;
  const [project] = await db.query(projectOfNewChat, { id, owner_id });
  if (project === undefined) throw unknownProject(id);
  return project;
}

export const unknownProject = (id: string): Refused =>
  new Refused('unknown_project', `Project ${id} does not exist.`);
