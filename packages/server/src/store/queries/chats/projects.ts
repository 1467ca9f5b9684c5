import { statement } from '../../statement.ts';
import { usableBy } from '../groups.ts';

export interface ProjectRow {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
  readonly instructions: string;
  readonly model_config_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const PROJECT_COLUMNS = 'id, owner_id, name, instructions, model_config_id, created_at, updated_at';

export const listProjects = statement<{ owner_id: string }, ProjectRow>(
  'list-projects',
  `SELECT ${PROJECT_COLUMNS} FROM projects WHERE owner_id = :owner_id ORDER BY lower(name), name`,
);

export const findOwnProject = statement<{ id: string; owner_id: string }, ProjectRow>(
  'find-own-project',
  `SELECT ${PROJECT_COLUMNS} FROM projects WHERE id = :id AND owner_id = :owner_id`,
);

export const countProjects = statement<{ user_id: string }, { count: number }>(
  'count-projects',
  `SELECT count(*) AS count FROM projects WHERE owner_id = :user_id`,
);

/** No row: the name is taken. */
export const insertProject = statement<
  {
    id: string;
    owner_id: string;
    name: string;
    instructions: string;
    model_config_id: string | null;
  },
  ProjectRow
>(
  'insert-project',
  `INSERT INTO projects (id, owner_id, name, instructions, model_config_id)
   VALUES (:id, :owner_id, :name, :instructions, :model_config_id)
   ON CONFLICT (owner_id, name) DO NOTHING
   RETURNING ${PROJECT_COLUMNS}`,
);

/** Null: unchanged, except for the model if `sets_model`. No row: the project was deleted, or the name is taken. */
export const updateProject = statement<
  {
    id: string;
    name: string | null;
    instructions: string | null;
    sets_model: boolean;
    model_config_id: string | null;
  },
  ProjectRow
>(
  'update-project',
  `UPDATE projects
      SET name = coalesce(:name::text, name), instructions = coalesce(:instructions::text, instructions),
          model_config_id = CASE WHEN :sets_model::boolean THEN :model_config_id::uuid ELSE model_config_id END,
          updated_at = now()
    WHERE id = :id
      AND NOT EXISTS (SELECT FROM projects AS other
                       WHERE other.owner_id = projects.owner_id AND other.name = :name AND other.id <> :id)
   RETURNING ${PROJECT_COLUMNS}`,
);

/** Removes the last references, such as those of deleted chats. */
export const deleteProject = statement<{ id: string }, never>(
  'delete-project',
  `DELETE FROM projects WHERE id = :id`,
);

/** Chats to remove from a project, through chats_by_project. */
export const chatsOfProject = statement<{ project_id: string; limit: number }, { id: string }>(
  'chats-of-project',
  `SELECT id FROM chats
    WHERE project_id = :project_id AND deleted_at IS NULL
    ORDER BY active_at DESC, id DESC
    LIMIT :limit`,
);

/** The instructions of the project of a root chat. No row: it has no project. */
export const projectInstructions = statement<{ chat_id: string }, { instructions: string }>(
  'project-instructions',
  `SELECT projects.instructions
     FROM chats JOIN projects ON projects.id = chats.project_id
    WHERE chats.id = :chat_id`,
);

/** The project of a new chat, with its model unless the owner cannot use that. */
export const projectOfNewChat = statement<
  { id: string; owner_id: string },
  { id: string; model_config_id: string | null }
>(
  'project-of-new-chat',
  `SELECT projects.id,
          (SELECT model_configs.id
             FROM model_configs JOIN providers ON providers.id = model_configs.provider_id
            WHERE model_configs.id = projects.model_config_id AND model_configs.enabled AND providers.enabled
              AND ${usableBy('model_configs', ':owner_id')})
            AS model_config_id
     FROM projects
    WHERE projects.id = :id AND projects.owner_id = :owner_id`,
);
