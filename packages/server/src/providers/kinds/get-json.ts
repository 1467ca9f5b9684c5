import { APICallError } from '@ai-sdk/provider';
import { ProviderError } from '@chatd/loop';
import type { z } from 'zod';
import type { Fetch } from './kind.ts';

/** The longest model lists have a few hundred kilobytes. */
const BYTES_LIMIT = 16 * 1024 * 1024;

/** A request to a provider that is not a model call. */
export interface JsonRequest {
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

export const bearer = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

/** Appends a path to a base URL with or without a trailing slash. */
export const below = (baseUrl: string | undefined, path: string): string =>
  `${(baseUrl ?? '').replace(/\/+$/, '')}${path}`;

export async function getJson<T>(
  { fetch, signal }: JsonRequest,
  url: string,
  headers: Readonly<Record<string, string>>,
  shape: z.ZodType<T>,
): Promise<T> {
  const response = await fetch(url, {
    headers: { accept: 'application/json', ...headers },
    signal,
  });
  const text = await textOf(response);
  if (!response.ok) {
    throw new APICallError({
      message: `HTTP ${response.status}`,
      url,
      requestBodyValues: undefined,
      statusCode: response.status,
      responseHeaders: Object.fromEntries(response.headers),
      responseBody: text,
    });
  }
  const parsed = shape.safeParse(asJson(text));
  if (parsed.success) return parsed.data;
  throw new ProviderError({
    kind: 'config',
    message: "The provider's response is not a list of models. Check its base_url.",
  });
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BYTES_LIMIT) {
      throw new ProviderError({ kind: 'config', message: "The provider's response is too large." });
    }
  }
  return text;
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
