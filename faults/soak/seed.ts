import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelConfig, Template, Workspace } from '@chatd/protocol';
import type { Deployment } from '../deployment/deployment.ts';
import { GUARDED_TOOL } from '../deployment/plan.ts';
import { POOL, type SoakMachine } from './soak-machine.ts';

/** Resources that all simulated users share. */
export interface SeedData {
  /** A model config whose tokens cost one micro each. */
  readonly pricedModel: string;
  /** The workspace of the local machine that the replicas share. */
  readonly workspace: string;
  /** The workspace of the machine in another process. */
  readonly remoteWorkspace: string;
}

const POLL_MS = 250;

const MICRO_PER_TOKEN = 1_000_000;

export async function seed(deployment: Deployment, machine: SoakMachine): Promise<SeedData> {
  const { api } = deployment;
  await api.patch('/users/me/approvals', {
    approvals: [{ pattern: GUARDED_TOOL, action: 'ask' }],
  });
  const { model_configs } = await api.get<{ model_configs: ModelConfig[] }>('/model-configs');
  const standard = model_configs.find(({ is_default }) => is_default);
  if (standard === undefined) throw new Error('there is no default model config');
  const priced = await api.post<ModelConfig>('/model-configs', {
    provider_id: standard.provider_id,
    model: standard.model,
    display_name: 'Fake, priced',
    context_limit: standard.context_limit,
    price: { input: MICRO_PER_TOKEN, output: MICRO_PER_TOKEN },
  });
  const workspace = await createWorkspace(deployment, { name: 'soak' });
  // Later, so that the first workspace is on the local machine.
  await machine.start();
  const remoteWorkspace = await createWorkspace(deployment, {
    name: 'remote',
    machine: { labels: POOL },
  });
  return { pricedModel: priced.id, workspace, remoteWorkspace };
}

async function createWorkspace({ api }: Deployment, template: object): Promise<string> {
  const { id: template_id } = await api.post<Template>('/templates', {
    driver: 'host',
    ...template,
  });
  const workspace = await api.post<Workspace>('/workspaces', { template_id });
  let { status, error } = workspace;
  while (status === 'creating') {
    await sleep(POLL_MS);
    ({ status, error } = await api.get<Workspace>(`/workspaces/${workspace.id}`));
  }
  if (status !== 'ready') throw new Error(`the workspace is not ready: ${status}, ${error}`);
  return workspace.id;
}
