import { Refused } from '../chat/refused.ts';
import type { ModelConfigRow } from '../store/model-configs.ts';
import { listModelConfigs } from '../store/queries/model-configs.ts';
import type { Queryable } from '../store/statement.ts';

/** The name of the default model. */
const DEFAULT = 'default';

interface NamedModel {
  readonly name: string;
  readonly config: ModelConfigRow;
}

/** The models that a user can use. The first config of a model has its name; others have their id. The default model comes first. */
export async function usableModels(db: Queryable, user_id: string): Promise<NamedModel[]> {
  const configs = (await db.query(listModelConfigs, { user_id })).filter(({ usable }) => usable);
  return configs.map((config) => {
    const first = configs.find(({ model }) => model === config.model);
    return { name: first === config ? config.model : config.id, config };
  });
}

/** By name, id or display name. Without one: the default model. */
export async function findModel(
  db: Queryable,
  userId: string,
  wanted: string | null | undefined,
): Promise<NamedModel> {
  const models = await usableModels(db, userId);
  const found =
    wanted === null || wanted === undefined || wanted === DEFAULT
      ? models[0]
      : (models.find(({ name }) => name === wanted) ??
        models.find(({ config }) => config.id === wanted || config.display_name === wanted));
  if (found !== undefined) return found;
  const detail = wanted ? `The model ${JSON.stringify(wanted)} does not exist` : 'No model exists';
  throw new Refused(
    'unknown_model_config',
    `${detail} or is disabled. GET /v1/models lists them.`,
    {
      errors: [{ path: 'model', message: 'does not exist' }],
    },
  );
}

/** The name of the model of a chat, also if it has been disabled since. */
export async function modelName(db: Queryable, userId: string, configId: string): Promise<string> {
  const models = await usableModels(db, userId);
  return models.find(({ config }) => config.id === configId)?.name ?? configId;
}

export const presentModel = ({ name, config }: NamedModel): object => ({
  id: name,
  object: 'model',
  created: 0,
  owned_by: config.display_name,
});
