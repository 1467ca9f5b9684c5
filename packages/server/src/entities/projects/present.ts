import type { Project } from '@chatd/protocol';
import type { ProjectRow } from '../../store/queries/chats/projects.ts';

export const presentProject = (row: ProjectRow): Project => ({
  id: row.id,
  name: row.name,
  instructions: row.instructions,
  model_config_id: row.model_config_id,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
