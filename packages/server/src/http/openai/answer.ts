import type { Caller } from '../../auth/caller.ts';
import type { FaceCall } from '../face-handler.ts';
import { DATA_HEADERS } from '../headers.ts';
import type { Streaming } from '../serve.ts';

export interface OpenAiCall extends Pick<FaceCall, 'exchange' | 'outgoing'> {
  readonly caller: Caller;
  /** Those in the path. */
  readonly id: string;
  readonly item: string;
}

/** A function waits for the end of the turn, after the request has left the limits. */
export type Answer = Response | Streaming | (() => Promise<Response>);

export const json = (
  body: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { ...DATA_HEADERS, 'content-type': 'application/json', ...headers },
  });

export const list = (data: readonly object[], has_more: boolean): Response => {
  const ids = data.map((item) => (item as { readonly id: string }).id);
  const ends = { first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
  return json({ object: 'list', data, ...ends, has_more });
};
