import type { ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { Streaming } from './serve.ts';

/** A request in another protocol than the API. */
export interface FaceCall {
  readonly exchange: Exchange;
  readonly request: Request;
  readonly outgoing: ServerResponse;
  /** The ids in the path. */
  readonly params: Readonly<Record<string, string>>;
}

export type FaceHandler = (call: FaceCall) => Promise<Response | Streaming>;
