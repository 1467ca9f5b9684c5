import * as fc from 'fast-check';
import { expect } from 'vitest';
import { APIS, type ApiName } from './apis.ts';
import { optionsOf, promptOf } from './prompts.ts';
import { codecRequest, packageRequest } from './requests.ts';
import type { Runs } from './runs.ts';

/** Encodes random calls. The codec must encode more than a tenth of them, and each must match the package's request. */
export async function checkRequests(name: ApiName, runs: Runs): Promise<void> {
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
  await fc.assert(call, runs);
  expect(encoded).toBeGreaterThan(runs.numRuns / 10);
}
