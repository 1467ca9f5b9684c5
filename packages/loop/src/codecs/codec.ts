import type {
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider';

/**
 * The wire format of a provider's API: a request body, and a stream of server-sent events with JSON data. A codec covers
 * a subset of the calls that the AI SDK package of the provider supports. For these, it sends the same request and
 * emits the same parts, without web streams.
 */
export interface Codec {
  /**
   * The request for a call. Undefined if the call is outside the subset, or if the package would emit warnings for it:
   * then the package is used.
   */
  encode(
    modelId: string,
    options: LanguageModelV4CallOptions,
  ): EncodedCall | undefined | Promise<EncodedCall | undefined>;
  /**
   * The message of a failed response, as the package reads it from the JSON body. Undefined if the body does not have
   * the provider's format.
   */
  errorMessage(body: unknown): string | undefined;
}

export interface EncodedCall {
  /** JSON in UTF-8. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The path and query after the base URL, such as `/chat/completions`. */
  readonly path: string;
  /** Headers of this call, besides those of the endpoint. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the package warns of. Default: nothing. */
  readonly warnings?: SharedV4Warning[];
  /** Decodes a successful response. Called once. */
  decoder(emit: Emit, received: Received): Decoder;
}

/** A response whose body is still to come. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  /** Passes emitted parts on at once, for parts that are emitted later than their events arrive. */
  flush(): Promise<void> | undefined;
  /** Ends the call, for errors that occur later than their events arrive. */
  fail(error: unknown): void;
}

export type Emit = (part: LanguageModelV4StreamPart) => void;

/**
 * From events to parts, synchronously. `stream-start` is not its task. A method may throw: then the call fails with
 * that error.
 */
export interface Decoder {
  /** The JSON data of one event. `[DONE]` is skipped. */
  event(value: unknown): void;
  /** An event whose data is not JSON. The error is a `JSONParseError`. */
  malformed(error: unknown): void;
  /** The stream ended without an error, complete or not. Resolves after the last part. */
  end(): Promise<void> | void;
  /** Reading pauses until the promise has resolved. */
  ready?(): Promise<void> | undefined;
  /** The call failed: nothing may be emitted anymore. */
  cancel?(): void;
}
