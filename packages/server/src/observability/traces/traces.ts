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

export interface Traces extends Observer {
  /** Handles a request in its own span, as a child of the one in `traceparent`. */
  request(
    request: TracedRequest,
    route: string,
    answer: () => Promise<Response>,
  ): Promise<Response>;
  /** The W3C trace context of the current tool call or request, for requests to machines. */
  traceparent(): string | undefined;
  /** Answers a request to a machine in its own span, as a child of the one in `traceparent`. Without it: no span. */
  machineRequest<T>(
    operation: string,
    traceparent: string | undefined,
    answer: () => Promise<T>,
  ): Promise<T>;
  /** A change was committed. The turn it starts belongs to the current request. */
  caused(change: Change): void;
  close(): Promise<void>;
}

export const NO_TRACES: Traces = {
  request: (_request, _route, answer) => answer(),
  traceparent: () => undefined,
  machineRequest: (_operation, _traceparent, answer) => answer(),
  caused: () => undefined,
  close: () => Promise.resolve(),
};
