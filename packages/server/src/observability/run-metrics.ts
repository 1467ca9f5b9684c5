import { type HistoryMessage, SUMMARY_TOOL, type TurnOutcome } from '@chatd/loop';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { ChatRow } from '../chat/row.ts';
import type { CallEnd, CallObserver, ModelCall, Observer, TurnObserver } from './observer.ts';
import { providerName } from './provider-name.ts';
import { tokenCounts } from './token-counts.ts';
import { outcomeOf } from './turn-outcome.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Metrics of the chats that run in this process. Labels come from fixed sets: provider types and names of built-in
 * tools, never text from users, models or providers.
 */
export class RunMetrics implements Observer {
  readonly #steps: Counter;
  readonly #turns: Counter<'outcome'>;
  readonly #failures: Counter<'kind'>;
  readonly #calls: Histogram<'provider' | 'purpose' | 'outcome'>;
  readonly #firstToken: Histogram<'provider'>;
  readonly #tokens: Counter<'provider' | 'class'>;
  readonly #retries: Counter<'provider' | 'kind'>;
  readonly #toolCalls: Counter<'tool'>;
  readonly #toolErrors: Counter<'tool'>;
  readonly #waits: Histogram;
  readonly #leaseLosses: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#steps = new Counter({
      name: 'chatd_steps_total',
      help: 'Committed model responses',
      registers,
    });
    this.#turns = new Counter({
      name: 'chatd_turns_total',
      help: 'Ended turns, by outcome',
      labelNames: ['outcome'],
      registers,
    });
    this.#failures = new Counter({
      name: 'chatd_turn_failures_total',
      help: 'Turns that ended with an error, by kind',
      labelNames: ['kind'],
      registers,
    });
    this.#calls = new Histogram({
      name: 'chatd_model_call_duration_seconds',
      help: 'Duration of model calls, from the request to the end of the response',
      labelNames: ['provider', 'purpose', 'outcome'],
      buckets: SECONDS,
      registers,
    });
    this.#firstToken = new Histogram({
      name: 'chatd_time_to_first_token_seconds',
      help: 'Time from the request of a model call to the first part of its response',
      labelNames: ['provider'],
      buckets: SECONDS,
      registers,
    });
    this.#tokens = new Counter({
      name: 'chatd_tokens_total',
      help: 'Tokens as counted by providers; reasoning is part of output',
      labelNames: ['provider', 'class'],
      registers,
    });
    this.#retries = new Counter({
      name: 'chatd_retries_total',
      help: 'Retries of failed model calls, by reason',
      labelNames: ['provider', 'kind'],
      registers,
    });
    this.#toolCalls = new Counter({
      name: 'chatd_tool_calls_total',
      help: 'Tool calls in committed responses',
      labelNames: ['tool'],
      registers,
    });
    this.#toolErrors = new Counter({
      name: 'chatd_tool_errors_total',
      help: 'Tool calls with an error as result',
      labelNames: ['tool'],
      registers,
    });
    this.#waits = new Histogram({
      name: 'chatd_acquisition_wait_seconds',
      help: 'Acquired chats, and how long each had waited',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.#leaseLosses = new Counter({
      name: 'chatd_lease_losses_total',
      help: 'Chats that another worker took over while they ran here',
      registers,
    });
  }

  turn(chat: ChatRow): TurnObserver {
    const tools = new Map(chat.dynamic_tools.map(({ name }) => [name, 'dynamic']));
    return {
      call: (call) => this.call(call),
      tool(tool) {
        tools.set(tool.name, labelOf(tool.name));
        return tool;
      },
      committed: (messages) => this.#committed(messages, tools),
      retrying: ({ provider, kind }) =>
        this.#retries.inc({ provider: providerName(provider).label, kind }),
      ended: (outcome) => this.#ended(outcome),
    };
  }

  call({ provider, purpose }: ModelCall): CallObserver {
    const { label } = providerName(provider);
    return { ended: (end) => this.#called(label, purpose, end) };
  }

  acquired(waitingSince: readonly Date[]): void {
    const now = Date.now();
    // The clocks of the database and of this host may differ slightly.
    for (const since of waitingSince) {
      this.#waits.observe(Math.max(0, now - since.getTime()) / 1000);
    }
  }

  leaseLost(): void {
    this.#leaseLosses.inc();
  }

  #called(provider: string, purpose: string, end: CallEnd): void {
    this.#calls.observe({ provider, purpose, outcome: end.how }, end.durationMs / 1000);
    if (end.firstTokenMs !== undefined) {
      this.#firstToken.observe({ provider }, end.firstTokenMs / 1000);
    }
    if (end.usage === undefined) return;
    for (const [name, count] of Object.entries(tokenCounts(end.usage))) {
      if (count !== undefined && count > 0) this.#tokens.inc({ provider, class: name }, count);
    }
  }

  #committed(messages: readonly HistoryMessage[], tools: ReadonlyMap<string, string>): void {
    for (const { role, content, meta } of messages) {
      if (role === 'assistant' && meta?.compaction === undefined) this.#steps.inc();
      for (const part of content) {
        if (part.type !== 'tool-call' && part.type !== 'tool-result') continue;
        if (part.tool_name === SUMMARY_TOOL) continue;
        // Models may call tools that do not exist.
        const known = tools.get(part.tool_name) ?? 'unknown';
        const tool = part.provider_executed === true ? 'provider' : known;
        if (part.type === 'tool-call') this.#toolCalls.inc({ tool });
        else if (part.is_error === true) this.#toolErrors.inc({ tool });
      }
    }
  }

  #ended(outcome: TurnOutcome | Error): void {
    this.#turns.inc({ outcome: outcomeOf(outcome) });
    if ('type' in outcome && outcome.type === 'failed') {
      this.#failures.inc({ kind: outcome.error.kind });
    }
  }
}

/** Tools of MCP servers are named `server__tool`. All other tools that run here are built in. */
const labelOf = (name: string): string => (name.includes('__') ? 'mcp' : name);
