import type { ModelConfig, ProviderType } from '@chatd/protocol';
import { anthropicModels } from './anthropic.ts';
import { googleModels } from './google.ts';
import type { KnownModel, KnownModels } from './known-model.ts';
import { openaiModels } from './openai.ts';

/** The date of the last comparison with the published lists. */
export const CATALOGUE_DATE = '2026-11-15';

const ALL: KnownModels = { ...anthropicModels, ...openaiModels, ...googleModels };

const LISTS: Partial<Record<ProviderType, KnownModels>> = {
  anthropic: anthropicModels,
  openai: openaiModels,
  google: googleModels,
  // Deployments are often named after their model.
  azure: openaiModels,
  bedrock: anthropicModels,
  openrouter: ALL,
  vercel: ALL,
};

/** Resellers have their own prices and publish them. */
const RESELL: ReadonlySet<ProviderType> = new Set(['openrouter', 'vercel']);

type Facts = Omit<KnownModel, 'price'> & Partial<Pick<KnownModel, 'price'>>;

/** The catalog entry of a model, under any provider's name for it. Values in the model config take precedence. */
export function knownModel(type: ProviderType, model: string): Facts | undefined {
  const list = LISTS[type];
  const name = list && namesOf(model).find((one) => Object.hasOwn(list, one));
  const found = name === undefined ? undefined : list?.[name];
  if (found === undefined || !RESELL.has(type)) return found;
  const { price: _, note: __, ...facts } = found;
  return facts;
}

/** For the first config of a model, so that chats can choose an effort. Every reasoning model of the catalog supports it. */
export const suggestedEffort = (
  type: ProviderType,
  model: string,
): Pick<ModelConfig, 'reasoning_effort'> =>
  knownModel(type, model)?.reasoning === true
    ? { reasoning_effort: { default: 'medium', max: 'high' } }
    : {};

/** All models under the provider's own names, for when the provider cannot be reached. */
export function knownModels(type: ProviderType): ({ readonly id: string } & KnownModel)[] {
  const list = { anthropic: anthropicModels, openai: openaiModels, google: googleModels };
  const own: KnownModels = type in list ? list[type as keyof typeof list] : {};
  return Object.entries(own).map(([id, model]) => ({ id, ...model }));
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and `anthropic/claude-sonnet-4.5` are `claude-sonnet-4-5`. */
function namesOf(model: string): string[] {
  const bare = model
    .replace(/^[^/]+\//, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '');
  const undated = bare.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  return [model, bare, undated].map(hyphened);
}

const hyphened = (name: string) => (name.startsWith('claude') ? name.replaceAll('.', '-') : name);
