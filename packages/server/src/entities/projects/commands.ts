import { PROJECTS_LIMIT, type Routes } from '@chatd/protocol';
import type { z } from 'zod';
import { Refused } from '../../chat/refused.ts';
import { noRowsIfTaken } from '../../store/constraint.ts';
import { withinQuota } from '../../limits/quota.ts';
import { requestedModel } from '../../store/model-configs.ts';
import {
  chatsOfProject,
  deleteProject,
  insertProject,
  type ProjectRow,
  updateProject,
} from '../../store/queries/chats/projects.ts';
import type { Queryable } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import { withinTransaction } from '../../store/transaction-scope.ts';
import type { Transaction } from '../../store/transaction.ts';
import { uuidv7 } from '../../store/uuid.ts';

type NewProject = z.output<Routes['createProject']['body']>;
type ProjectChange = z.output<Routes['updateProject']['body']>;

const BATCH = 100;

export class ProjectCommands {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async create(
    owner_id: string,
    { name, instructions = '', model_config_id }: NewProject,
    tx: Transaction | undefined,
  ): Promise<ProjectRow> {
    return await withinTransaction(this.#store.database, tx, async (tx) => {
      const model = await requestedModel(tx, model_config_id ?? undefined, owner_id);
      const row = { id: uuidv7(), owner_id, name, instructions, model_config_id: model };
      const quota = { userId: owner_id, of: 'projects', most: PROJECTS_LIMIT } as const;
      const [created] = await withinQuota(tx, quota, () => tx.query(insertProject, row));
      if (created === undefined) throw nameTaken(name);
      return created;
    });
  }

  async update(before: ProjectRow, change: ProjectChange, db: Queryable): Promise<ProjectRow> {
    const { name = null, instructions = null, model_config_id } = change;
    // The model may have been disabled since.
    const isNew = model_config_id !== before.model_config_id;
    if (isNew) await requestedModel(db, model_config_id ?? undefined, before.owner_id);
    const [row] = await noRowsIfTaken(
      db.query(updateProject, {
        id: before.id,
        name,
        instructions,
        sets_model: model_config_id !== undefined,
        model_config_id: model_config_id ?? null,
      }),
    );
    if (row !== undefined) return row;
    throw name === null ? new Refused('not_found', 'Not found.') : nameTaken(name);
  }

  /** Removes the chats one by one, so that watchers see it. If it is interrupted, it can be repeated. */
  async delete({ id: project_id }: ProjectRow): Promise<void> {
    const { database, client } = this.#store;
    let left = true;
    while (left) {
      const chats = await database.query(chatsOfProject, { project_id, limit: BATCH });
      for (const { id } of chats) {
        await client.update(id, { project_id: null }).catch(unlessRefused);
      }
      left = chats.length === BATCH;
    }
    await database.query(deleteProject, { id: project_id });
  }
}

/** The chat was deleted meanwhile. */
function unlessRefused(error: unknown): void {
  if (!(error instanceof Refused)) throw error;
}

const nameTaken = (name: string) =>
  new Refused('project_name_taken', `You already have a project named ${name}.`);
