import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@chatd/test-server/eventually';

type Value = string | number | boolean | Value[] | undefined;

/** A span as it was sent, with its attributes as plain values. */
export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links: readonly { readonly spanId: string }[];
  readonly events: readonly { readonly name: string }[];
  /** 2: an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, Value>>;
  readonly resource: Readonly<Record<string, Value>>;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: Span[];
  readonly headers: Readonly<Record<string, unknown>>[];
  /** The bodies of all requests. */
  readonly bodies: string[];
  /** The response status. Default: 200. */
  status: number;
  /** Waits for a span. */
  span(name: string): Promise<Span>;
  close(): Promise<void>;
}

/** A fake OpenTelemetry collector: accepts OTLP as JSON over HTTP. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      receiver.headers.push(request.headers);
      receiver.bodies.push(body);
      if (receiver.status === 200 && request.url === '/v1/traces')
        receiver.spans.push(...read(body));
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    headers: [],
    bodies: [],
    status: 200,
    span: (name) =>
      eventually(() => {
        const span = receiver.spans.find((one) => one.name === name);
        if (span !== undefined) return span;
        throw new Error(`no ${name} among ${receiver.spans.map((one) => one.name).join(', ')}`);
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}
type SentSpan = Omit<Span, 'attributes' | 'resource' | 'links' | 'events'> & {
  readonly attributes: readonly Attribute[];
  readonly links?: Span['links'];
  readonly events?: Span['events'];
};
interface Attribute {
  readonly key: string;
  readonly value: AttributeValue;
}
interface AttributeValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values: readonly AttributeValue[] };
}

const read = (body: string): Span[] =>
  (JSON.parse(body) as Sent).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        links: span.links ?? [],
        events: span.events ?? [],
        attributes: plain(span.attributes),
        resource: plain(resource.attributes),
      })),
    ),
  );

const plain = (attributes: readonly Attribute[]): Record<string, Value> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]));

function valueOf(value: AttributeValue): Value {
  const { stringValue, intValue, doubleValue, boolValue, arrayValue } = value;
  if (arrayValue !== undefined) return arrayValue.values.map(valueOf);
  return (
    stringValue ??
    doubleValue ??
    boolValue ??
    (intValue === undefined ? undefined : Number(intValue))
  );
}
