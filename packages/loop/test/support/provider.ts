import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type Api, inProcessProvider, type InProcessProvider } from '@chatd/testing';
import { modelOf } from '../../../testing/test/support/models.ts';

/** A strict in-process fake of an API, and a model of its real provider package. */
export function strictProvider(
  api: Api,
  id?: string,
): { provider: InProcessProvider; model: LanguageModelV4 } {
  const provider = inProcessProvider({ api });
  return { provider, model: modelOf(provider, id === undefined ? {} : { id }) };
}
