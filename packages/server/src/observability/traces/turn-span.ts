import type { AsyncLocalStorage } from 'node:async_hooks';
import type { LocalTool, ToolContext, ToolOutput, TurnOutcome } from '@chatd/loop';
import type { Json, Retry } from '@chatd/protocol';
import {
  type Context,
  context,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { ChatRow } from '../../chat/row.ts';
import type { CallObserver, ModelCall, TurnObserver } from '../observer.ts';
import { providerName } from '../provider-name.ts';
import { outcomeOf } from '../turn-outcome.ts';
import { callAttributes, CallSpan } from './call-span.ts';
import type { Content } from './content.ts';
import * as name from './conventions.ts';

const AGENT = 'chatd';

/** A turn (`invoke_agent`), with its model calls and tools as children. */
export class TurnSpan implements TurnObserver {
  readonly #tracer: Tracer;
  readonly #content: Content | undefined;
  readonly #span: Span;
  readonly #below: Context;
  readonly #working: AsyncLocalStorage<Context>;
  /** Tool spans are children of the model call that requested them. */
  #asked: Link[] = [];

  constructor(
    tracer: Tracer,
    chat: ChatRow,
    parent: Context,
    content: Content | undefined,
    working: AsyncLocalStorage<Context>,
  ) {
    this.#tracer = tracer;
    this.#content = content;
    this.#working = working;
    const attributes = {
      [name.OPERATION]: 'invoke_agent',
      [name.AGENT_NAME]: AGENT,
      [name.CONVERSATION_ID]: chat.id,
      [name.MODEL_CONFIG_ID]: chat.model_config_id,
    };
    const options = { kind: SpanKind.INTERNAL, attributes };
    this.#span = tracer.startSpan(`invoke_agent ${AGENT}`, options, parent);
    this.#below = trace.setSpan(parent, this.#span);
  }

  call(call: ModelCall): CallObserver {
    if (call.purpose === 'turn') {
      this.#span.setAttributes({
        [name.PROVIDER]: providerName(call.provider).convention,
        [name.REQUEST_MODEL]: call.model,
      });
    }
    const span = startCallSpan(this.#tracer, call, this.#below, this.#content);
    this.#asked = [{ context: span.spanContext() }];
    return new CallSpan(span, this.#content);
  }

  tool(tool: LocalTool): LocalTool {
    return { ...tool, run: (args, given) => this.#run(tool, args, given) };
  }

  retrying({ kind, attempt, delay_ms }: Retry): void {
    this.#span.addEvent('chatd.retry', { [name.ERROR_TYPE]: kind, attempt, delay_ms });
  }

  ended(outcome: TurnOutcome | Error): void {
    const span = this.#span;
    const word = outcomeOf(outcome);
    span.setAttribute(name.OUTCOME, word);
    if (!(outcome instanceof Error)) {
      if (outcome.type === 'failed') fail(span, outcome.error.kind, outcome.error.message);
    } else if (word === 'broken') {
      fail(span, outcome.name);
    }
    span.end();
  }

  async #run(tool: LocalTool, args: Json, given: ToolContext): Promise<ToolOutput> {
    const content = this.#content;
    const span = this.#tracer.startSpan(
      `execute_tool ${tool.name}`,
      {
        kind: SpanKind.INTERNAL,
        links: this.#asked,
        attributes: {
          [name.OPERATION]: 'execute_tool',
          [name.TOOL_NAME]: tool.name,
          [name.TOOL_TYPE]: 'function',
          [name.TOOL_CALL_ID]: given.callId,
          [name.TOOL_CALL_ARGUMENTS]: content?.json(args),
        },
      },
      this.#below,
    );
    try {
      // If the embedding program tracks contexts, spans created by the tool are children of this one.
      const active = trace.setSpan(context.active(), span);
      const output = await this.#working.run(trace.setSpan(this.#below, span), () =>
        context.with(active, () => tool.run(args, given)),
      );
      if (content !== undefined) span.setAttribute(name.TOOL_CALL_RESULT, content.json(output));
      return output;
    } catch (error) {
      // Errors of a tool may quote its input.
      fail(span, error instanceof Error ? error.name : '_OTHER');
      throw error;
    } finally {
      span.end();
    }
  }
}

export function startCallSpan(
  tracer: Tracer,
  call: ModelCall,
  parent: Context,
  content: Content | undefined,
): Span {
  const attributes = callAttributes(call, content);
  return tracer.startSpan(`chat ${call.model}`, { kind: SpanKind.CLIENT, attributes }, parent);
}

function fail(span: Span, type: string, message?: string): void {
  span.setAttribute(name.ERROR_TYPE, type);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
}
