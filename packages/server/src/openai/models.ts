import { Refused } from '../chat/refused.ts';
import type { ModelConfigRow } from '../store/model-configs.ts';
import { listModelConfigs } from '../store/queries/model-configs.ts';
import type { Queryable } from '../store/statement.ts';

/** The name of the default model. */
const DEFAULT = 'default';

export interface NamedModel {
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

/** Names change rarely, and a new chat checks whether its model can be used. */
const KEPT_MS = 5000;
const MOST_USERS = 100;

/** The models of recent users, so that a request does not read them. */
export class ModelNames {
  readonly #kept = new Map<
    string,
    { readonly models: readonly NamedModel[]; readonly until: number }
  >();

  async find(db: Queryable, userId: string, wanted: string): Promise<NamedModel> {
    const kept = matching(this.#recent(userId), wanted);
    return kept ?? matching(await this.#read(db, userId), wanted) ?? noSuchModel(wanted);
  }

  /** The name of the model of a chat. */
  async nameOf(db: Queryable, userId: string, configId: string): Promise<string> {
    const isIt = ({ config }: NamedModel) => config.id === configId;
    const found = this.#recent(userId).find(isIt) ?? (await this.#read(db, userId)).find(isIt);
    return found?.name ?? configId;
  }

  #recent(userId: string): readonly NamedModel[] {
    const { models = [], until = 0 } = this.#kept.get(userId) ?? {};
    return until > Date.now() ? models : [];
  }

  async #read(db: Queryable, userId: string): Promise<readonly NamedModel[]> {
    const models = await usableModels(db, userId);
    if (this.#kept.size >= MOST_USERS) this.#kept.clear();
    this.#kept.set(userId, { models, until: Date.now() + KEPT_MS });
    return models;
  }
}

/** Whether a request leaves the choice to the server. */
export const isDefault = (wanted: string | null | undefined): wanted is null | undefined =>
  wanted === null || wanted === undefined || wanted === DEFAULT;

/** By name, id or display name. Without one: the default model. */
export async function findModel(
  db: Queryable,
  userId: string,
  wanted: string | null | undefined,
): Promise<NamedModel> {
  const models = await usableModels(db, userId);
  const found = isDefault(wanted) ? models[0] : matching(models, wanted);
  return found ?? noSuchModel(wanted);
}

const matching = (models: readonly NamedModel[], wanted: string): NamedModel | undefined =>
  models.find(({ name }) => name === wanted) ??
  models.find(({ config }) => config.id === wanted || config.display_name === wanted);

function noSuchModel(wanted: string | null | undefined): never {
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
