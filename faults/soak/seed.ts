import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelConfig, Template, Workspace } from '@chatd/protocol';
import type { Deployment } from '../deployment/deployment.ts';
import { GUARDED_TOOL } from '../deployment/tools.ts';

/** What people find in the deployment, beside the model. */
export interface SeedData {
  /** A model whose tokens cost a millionth each. */
  readonly pricedModel: string;
  /** All who run commands do it there. */
  readonly workspace: string;
}

const POLL_MS = 250;

const MICRO_A_TOKEN = 1_000_000;

export async function seed(deployment: Deployment): Promise<SeedData> {
  const { api } = deployment;
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
  const workspace = await api.post<Workspace>('/workspaces', { template_id: template.id });
  await ready(deployment, workspace);
  return { pricedModel: priced.id, workspace: workspace.id };
}

async function ready({ api }: Deployment, workspace: Workspace): Promise<void> {
  let { status, error } = workspace;
  while (status === 'creating') {
    await sleep(POLL_MS);
    ({ status, error } = await api.get<Workspace>(`/workspaces/${workspace.id}`));
  }
  if (status !== 'ready') throw new Error(`there is no workspace: ${status}, ${error}`);
}
