import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { startModel } from '../deployment/model.ts';
import { Api } from './api.ts';
import { type NoiseOptions, NoisyMember } from './noisy-member.ts';

export interface NoiseOrder extends Omit<NoiseOptions, 'modelConfigId'> {
  readonly urls: string[];
  readonly token: string;
}

/*
 * A noisy member and the provider that floods them, in a thread of their own. Sends the URL of the provider, waits for
 * the id of a model config that uses it, makes noise until the next message, and sends the answers it got.
 */
const { urls, token, ...options } = workerData as NoiseOrder;
if (parentPort === null) throw new Error('noisy-thread runs in a worker thread');
const model = await startModel({ keepRequests: false });
parentPort.postMessage(model.provider.url);
const [modelConfigId] = (await once(parentPort, 'message')) as [string];
const member = new NoisyMember(new Api(() => urls, token), { ...options, modelConfigId });
await member.start();
await once(parentPort, 'message');
await member.stop();
parentPort.postMessage(member.answers);
await model.provider.close();
