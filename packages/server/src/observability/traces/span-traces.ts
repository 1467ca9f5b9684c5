import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import type { ChatRow } from '../../chat/row.ts';
import type { SecretValues } from '../../secrets/secret-values.ts';
import type { Change } from '../../store/change.ts';
import type { CallObserver, ModelCall, TurnObserver } from '../observer.ts';
import { CallSpan } from './call-span.ts';
import { Content } from './content.ts';
import * as name from './conventions.ts';
import { parentFrom } from './traceparent.ts';
import type { TracedRequest, Traces } from './traces.ts';
import { startCallSpan, TurnSpan } from './turn-span.ts';

/** Endpoints that are polled by machines. */
const NOT_TRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
/** Maximum number of chats whose turn has not started. Beyond it, the oldest start their own traces. */
const CAUSES_KEPT = 1000;

export interface SpanTracesOptions {
  readonly provider: TracerProvider;
  readonly version: string;
  /** Whether spans contain prompts, responses, tool arguments and results. */
  readonly captureContent: boolean;
  readonly secrets: SecretValues;
  readonly close?: () => Promise<void>;
}

/** Creates spans with the given provider. Registers nothing globally. */
export class SpanTraces implements Traces {
  readonly #tracer: Tracer;
  readonly #content: Content | undefined;
  readonly #close: () => Promise<void>;
  readonly #answering = new AsyncLocalStorage<Context>();
  /** The span of a tool, or of a request to a machine. */
  readonly #working = new AsyncLocalStorage<Context>();
  readonly #causes = new Map<string, Context>();

  constructor(options: SpanTracesOptions) {
    this.#tracer = options.provider.getTracer('chatd', options.version);
    this.#content = options.captureContent ? new Content(options.secrets) : undefined;
    this.#close = options.close ?? (() => Promise.resolve());
  }

  async request(
    request: TracedRequest,
    route: string,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    if (NOT_TRACED.has(route)) return await answer();
    const remote = parentFrom(request.header('traceparent'), request.header('tracestate'));
    const parent = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
    const attributes = {
      [name.HTTP_METHOD]: request.method,
      [name.HTTP_ROUTE]: route,
      [name.URL_PATH]: request.path,
      [name.URL_SCHEME]: request.secure ? 'https' : 'http',
      [name.REQUEST_ID]: request.id,
    };
    const options = { kind: SpanKind.SERVER, attributes };
    const span = this.#tracer.startSpan(`${request.method} ${route}`, options, parent);
    try {
      const response = await this.#answering.run(trace.setSpan(parent, span), answer);
      span.setAttribute(name.HTTP_STATUS, response.status);
      if (response.status >= 500) {
        span.setAttribute(name.ERROR_TYPE, String(response.status));
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      return response;
    } finally {
      span.end();
    }
  }

  traceparent(): string | undefined {
    const current = this.#working.getStore() ?? this.#answering.getStore();
    const span = current && trace.getSpanContext(current);
    return span && `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`;
  }

  async machineRequest<T>(
    operation: string,
    traceparent: string | undefined,
    answer: () => Promise<T>,
  ): Promise<T> {
    const remote = parentFrom(traceparent, undefined);
    if (remote === undefined) return await answer();
    const parent = trace.setSpanContext(ROOT_CONTEXT, remote);
    const options = {
      kind: SpanKind.SERVER,
      attributes: { [name.MACHINE_OPERATION]: operation },
    };
    const span = this.#tracer.startSpan(`machine ${operation}`, options, parent);
    try {
      return await this.#working.run(trace.setSpan(parent, span), answer);
    } catch (error) {
      span.setAttribute(name.ERROR_TYPE, error instanceof Error ? error.name : '_OTHER');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  caused({ id, status }: Change): void {
    const request = this.#answering.getStore();
    if (request === undefined || status !== 'running') return;
    this.#causes.delete(id);
    this.#causes.set(id, request);
    if (this.#causes.size <= CAUSES_KEPT) return;
    const [oldest] = this.#causes.keys();
    if (oldest !== undefined) this.#causes.delete(oldest);
  }

  turn(chat: ChatRow): TurnObserver {
    const cause = this.#causes.get(chat.id) ?? ROOT_CONTEXT;
    this.#causes.delete(chat.id);
    return new TurnSpan(this.#tracer, chat, cause, this.#content, this.#working);
  }

  call(call: ModelCall): CallObserver {
    const span = startCallSpan(this.#tracer, call, ROOT_CONTEXT, this.#content);
    return new CallSpan(span, this.#content);
  }

  close(): Promise<void> {
    return this.#close();
  }
}
