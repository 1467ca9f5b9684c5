import { createTraceState, isSpanContextValid, type SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const STATE_LIMIT = 512;

/** Parses a W3C traceparent header. Undefined: absent or invalid. */
export function parentFrom(
  traceparent: string | undefined,
  tracestate: string | undefined,
): SpanContext | undefined {
  const match = TRACEPARENT.exec(traceparent?.trim() ?? '');
  if (match === null) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = match;
  // Later versions may append fields; the first has none.
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined &&
      tracestate.length <= STATE_LIMIT && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(context) ? context : undefined;
}
