import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { ProviderError } from '../errors/provider-error.ts';
import type { Limits } from '../settings.ts';

export type SizeLimits = Pick<
  Limits,
  'max_response_bytes' | 'max_response_file_bytes' | 'max_argument_bytes'
>;

/** Cost of a part in addition to its text, so that the number of parts is bounded as well. */
const PART_BYTES = 64;
const DELTA_BYTES = 1;

/** Measures a response and throws at its limits, because a model may never stop. */
export class ResponseSize {
  readonly #limits: SizeLimits;
  readonly #arguments = new Map<string, number>();
  #total = 0;
  #files = 0;
  #longestArguments = 0;

  constructor(limits: SizeLimits) {
    this.#limits = limits;
  }

  /** The bytes of this part. */
  add(part: LanguageModelV4StreamPart): number {
    const { max_response_bytes, max_response_file_bytes, max_argument_bytes } = this.#limits;
    const before = this.#total + this.#files;
    const isFile = part.type === 'file' || part.type === 'reasoning-file';
    if (isFile && part.data.type === 'data') this.#files += part.data.data.length;
    check(this.#files, max_response_file_bytes, 'The files of the response');
    if (part.type === 'tool-input-delta') this.#addArguments(part.id, part.delta);
    // Streamed arguments are repeated in their call.
    else if (part.type === 'tool-call' && !this.#arguments.has(part.toolCallId)) {
      this.#addArguments(part.toolCallId, part.input);
    } else this.#total += textBytes(part);
    this.#total += 'delta' in part ? DELTA_BYTES : PART_BYTES;
    check(this.#total, max_response_bytes, 'The response');
    check(this.#longestArguments, max_argument_bytes, 'The arguments of a tool call');
    return this.#total + this.#files - before;
  }

  #addArguments(id: string, text: string): void {
    const bytes = Buffer.byteLength(text);
    const sum = (this.#arguments.get(id) ?? 0) + bytes;
    this.#arguments.set(id, sum);
    this.#longestArguments = Math.max(this.#longestArguments, sum);
    this.#total += bytes;
  }
}

/** Parts that are kept unchanged. */
const KEPT: ReadonlySet<string> = new Set(['tool-result', 'source', 'custom', 'text-end']);

function textBytes(part: LanguageModelV4StreamPart): number {
  if ('delta' in part) return Buffer.byteLength(part.delta) + metadataBytes(part);
  if (KEPT.has(part.type)) return Buffer.byteLength(JSON.stringify(part));
  return 'providerMetadata' in part ? metadataBytes(part) : 0;
}

const metadataBytes = ({ providerMetadata }: { providerMetadata?: object }): number =>
  providerMetadata === undefined ? 0 : Buffer.byteLength(JSON.stringify(providerMetadata));

/** Not retried: the same request costs as much again and most likely fails again. */
function check(bytes: number, limit: number, what: string): void {
  if (bytes <= limit) return;
  const shown = limit >= MIB ? `${limit / MIB} MiB` : `${limit} bytes`;
  throw new ProviderError({
    kind: 'generic',
    message: `${what} exceeded the limit of ${shown}. Ask for less at once, or choose another model.`,
  });
}

const MIB = 1024 * 1024;
