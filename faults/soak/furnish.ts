import type { ModelConfig, Template } from '@chatd/protocol';
import type { Deployment } from '../deployment/deployment.ts';
import { GUARDED_TOOL } from '../deployment/tools.ts';

/** What people find in the deployment, beside the model. */
export interface Furniture {
  /** A model whose tokens cost a millionth each. */
  readonly pricedModel: string;
  /** What workspaces are made from. */
  readonly template: string;
}

const MICRO_A_TOKEN = 1_000_000;

export async function furnish({ api }: Deployment): Promise<Furniture> {
  await api.patch('/users/me/approvals', {
    approvals: [{ pattern: GUARDED_TOOL, action: 'ask' }],
  });
  const { model_configs } = await api.get<{ model_configs: ModelConfig[] }>('/model-configs');
  const usual = model_configs.find(({ is_default }) => is_default);
  if (usual === undefined) throw new Error('there is no model');
  const priced = await api.post<ModelConfig>('/model-configs', {
    provider_id: usual.provider_id,
    model: usual.model,
    display_name: 'Fake, for money',
    context_limit: usual.context_limit,
    price: { input: MICRO_A_TOKEN, output: MICRO_A_TOKEN },
  });
  const template = await api.post<Template>('/templates', { name: 'soak', driver: 'host' });
  return { pricedModel: priced.id, template: template.id };
}
