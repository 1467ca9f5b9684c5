import type { Change } from '../../store/change.ts';
import type { Observer } from '../observer.ts';

/** The part of an HTTP request that a span records. */
export interface TracedRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly secure: boolean;
  header(name: string): string | undefined;
}

/** Where requests, turns, model calls and tools become spans. */
export interface Traces extends Observer {
  /** Answers a request within a span of its own, below the one that its `traceparent` names. */
  request(
    request: TracedRequest,
    route: string,
    answer: () => Promise<Response>,
  ): Promise<Response>;
  /** A change was committed: the turn that it leads to belongs to the request that is being answered. */
  caused(change: Change): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

export const NO_TRACES: Traces = {
  request: (_request, _route, answer) => answer(),
  caused: () => undefined,
  close: () => Promise.resolve(),
};
