import type { LocalTool } from '@chatd/loop';
import type { TracerProvider } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { OutboxTiming } from '../outbox/outbox.ts';
import type { StreamsOptions } from '../stream/streams.ts';
import type { ProcessGroupMember } from '../process-group/member.ts';
import type { TurnLimits } from '../worker/runner.ts';
import type { TerminalLimits } from '../machine/local/local-terminals.ts';

export interface StartOptions {
  readonly log: Logger;
  /** Environment variables with provider keys and trace settings. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Tools of the embedding program, available to the agents of all chats. */
  readonly tools?: readonly LocalTool[];
  /** Receives the spans of requests, turns, model calls and tools. Overrides the trace settings in `env`. */
  readonly tracerProvider?: TracerProvider;
  /** Timeouts and retries of turns. Default: the defaults of the loop. */
  readonly limits?: TurnLimits;
  /** Timing and number of streams. */
  readonly streams?: Pick<StreamsOptions, 'timing' | 'streamsPerHolder'>;
  /** When events are delivered, and repeated. */
  readonly outbox?: Partial<OutboxTiming>;
  /** Lifetime and number of terminals. */
  readonly terminals?: TerminalLimits;
  /** Receives progress messages for the operator. */
  readonly onProgress?: (line: string) => void;
  /** Called when the server can no longer work and must be closed. */
  readonly onFatal?: (error: Error) => void;
  readonly signal?: AbortSignal;
  /** Ends the process when its event loop is blocked for longer than the lease. Default: false. */
  readonly watchdog?: boolean;
  /** Set if this is one of several processes of a server. */
  readonly group?: ProcessGroupMember;
  readonly databasePatienceMs?: number;
  readonly tokenUseEveryMs?: number;
  /** The folder of the built web UI. Default: the one in this package. */
  readonly webFolder?: string;
  /** The folder of the migrations. Default: the one in this package. */
  readonly migrations?: string;
}
