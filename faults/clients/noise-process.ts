import { once } from 'node:events';
import { startModel } from '../deployment/model.ts';
import { Api } from './api.ts';
import { type NoiseOptions, NoisyMember } from './noisy-member.ts';

export interface NoiseProcessOptions extends Omit<NoiseOptions, 'modelConfigId'> {
  readonly urls: string[];
  readonly token: string;
}

/*
 * Process of a noisy member and their flooding provider. Sends the URL of the provider, waits for the id of its model
 * config, makes noise until the next message, and sends the response counts.
 */
const { urls, token, ...options } = JSON.parse(process.argv[2] ?? '') as NoiseProcessOptions;
process.once('disconnect', () => process.exit(1));
const model = await startModel();
process.send?.(model.provider.url);
const [modelConfigId] = (await once(process, 'message')) as [string];
const member = new NoisyMember(new Api(() => urls, token), { ...options, modelConfigId });
await member.start();
await once(process, 'message');
await member.stop();
process.send?.([...member.responses], () => process.exit(0));
