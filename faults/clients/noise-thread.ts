import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { startModel } from '../deployment/model.ts';
import { Api } from './api.ts';
import { type NoiseOptions, NoisyMember } from './noisy-member.ts';

export interface NoiseThreadData extends Omit<NoiseOptions, 'modelConfigId'> {
  readonly urls: string[];
  readonly token: string;
}

/*
 * Thread of a noisy member and their flooding provider. Posts the URL of the provider, waits for the id of its model
 * config, makes noise until the next message, and posts the response counts.
 */
const { urls, token, ...options } = workerData as NoiseThreadData;
if (parentPort === null) throw new Error('noise-thread must run in a worker thread');
// The noisy client stands for another machine, which takes no CPU time from the replicas. Affects this thread only.
setPriority(constants.priority.PRIORITY_LOW);
const model = await startModel({ keepRequests: false });
parentPort.postMessage(model.provider.url);
const [modelConfigId] = (await once(parentPort, 'message')) as [string];
const member = new NoisyMember(new Api(() => urls, token), { ...options, modelConfigId });
await member.start();
await once(parentPort, 'message');
await member.stop();
parentPort.postMessage(member.responses);
await model.provider.close();
