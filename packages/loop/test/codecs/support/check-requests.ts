import * as fc from 'fast-check';
import { expect } from 'vitest';
import { APIS, type ApiName } from './apis.ts';
import { optionsOf, promptOf } from './prompts.ts';
import { codecRequest, packageRequest } from './requests.ts';

/** Random calls: if the codec encodes one, its request is that of the package. It encodes a good part of them. */
export async function checkRequests(name: ApiName, numRuns: number): Promise<void> {
  let encoded = 0;
  const call = fc.asyncProperty(
    fc.constantFrom<string>(...APIS[name].models),
    promptOf(name),
    optionsOf(name),
    async (modelId, prompt, options) => {
      const actual = await codecRequest(name, modelId, { ...options, prompt });
      if (actual === undefined) return;
      encoded++;
      expect(actual).toEqual(await packageRequest(name, modelId, { ...options, prompt }));
    },
  );
  const seed = process.env['CHATD_TEST_SEED'];
  await fc.assert(call, { numRuns, ...(seed !== undefined && { seed: Number(seed) }) });
  expect(encoded).toBeGreaterThan(numRuns / 10);
}
