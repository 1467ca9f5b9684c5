import { createGateway } from '@ai-sdk/gateway';
import { z } from 'zod';
import type { ProviderKind } from './kind.ts';

const SERVICE = 'https://ai-gateway.vercel.sh/v4/ai';

const Options = z.strictObject({
  /** For a token that can use several teams. */
  team: z.string().min(1).max(200).optional(),
});

export const vercel: ProviderKind = {
  label: 'Vercel AI Gateway',
  options: Options,
  baseUrl: ({ base_url }) => base_url ?? SERVICE,
  hasKey: ({ api_key }) => api_key !== undefined,
  build({ base_url, api_key, options }, modelId, fetch) {
    const { team } = Options.parse(options ?? {});
    return createGateway({
      baseURL: base_url ?? SERVICE,
      // A function, since the package takes an empty text for none and looks in the environment.
      apiKey: () => api_key ?? '',
      fetch,
      ...(team !== undefined && { teamIdOrSlug: team }),
    })(modelId);
  },
};
