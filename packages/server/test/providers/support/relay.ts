import { startFakeProvider } from '@chatd/testing';
import type { Event } from '../../../../loop/test/support/recorded.ts';
import { at } from '../../../../loop/test/support/recorded.ts';
import { modelOf } from './drive.ts';
import type { Recorded } from './recordings.ts';
import type { Subject } from './subjects.ts';

/** Converts a recorded stream to the format of a service that relays it. */
export type Relay = (recorded: Recorded) => readonly string[] | Promise<readonly string[]>;

/** The gateway reads the vendor's stream with the vendor's own package, and forwards its parts. */
export const throughGateway =
  (vendor: Subject): Relay =>
  async ({ lines }) => {
    await using fake = await startFakeProvider({ api: vendor.api, strict: false });
    fake.answer({ kind: 'recording', lines });
    const prompt = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'replay' }] },
    ];
    const sent: string[] = [];
    const model = await modelOf(vendor, fake);
    await model.push({ prompt }, (part) => void sent.push(JSON.stringify(part)));
    return sent;
  };

/** OpenRouter uses one field for the reasoning of all vendors. */
export const throughOpenRouter: Relay = ({ lines }) =>
  lines.map((line) => line.replaceAll('"reasoning_content":', '"reasoning":'));

/** Bedrock has its own names for the events of Claude, and sends the usage separately. */
export const throughBedrock: Relay = ({ lines }) => {
  const usage: Record<string, unknown> = {};
  return lines.flatMap((line) => {
    const event = JSON.parse(line) as Event;
    Object.assign(usage, at(event, 'message', 'usage'), event['usage']);
    return converse(event, usage).map((one) => JSON.stringify(one));
  });
};

function converse(event: Event, usage: Record<string, unknown>): object[] {
  const contentBlockIndex = event['index'];
  const block = event['content_block'];
  switch (event['type']) {
    case 'message_start':
      return [{ messageStart: { role: 'assistant' } }];
    case 'content_block_start': {
      if (at(block, 'type') !== 'tool_use') return [];
      const toolUse = { toolUseId: at(block, 'id'), name: at(block, 'name') };
      return [{ contentBlockStart: { contentBlockIndex, start: { toolUse } } }];
    }
    case 'content_block_delta': {
      const delta = deltaOf(event['delta']);
      return delta === undefined ? [] : [{ contentBlockDelta: { contentBlockIndex, delta } }];
    }
    case 'content_block_stop':
      return [{ contentBlockStop: { contentBlockIndex } }];
    case 'message_delta':
      return [{ messageStop: { stopReason: stopReason(at(event, 'delta', 'stop_reason')) } }];
    case 'message_stop':
      return [{ metadata: { usage: countsOf(usage), metrics: { latencyMs: 1 } } }];
    default:
      return [];
  }
}

function deltaOf(delta: unknown): object | undefined {
  switch (at(delta, 'type')) {
    case 'text_delta':
      return { text: at(delta, 'text') };
    case 'thinking_delta':
      return { reasoningContent: { text: at(delta, 'thinking') } };
    case 'signature_delta':
      return { reasoningContent: { signature: at(delta, 'signature') } };
    case 'input_json_delta':
      return { toolUse: { input: at(delta, 'partial_json') } };
    default:
      return undefined;
  }
}

const stopReason = (reason: unknown) => (reason === 'refusal' ? 'content_filtered' : reason);

const countsOf = (usage: Record<string, unknown>) => ({
  inputTokens: usage['input_tokens'],
  outputTokens: usage['output_tokens'],
  cacheReadInputTokens: usage['cache_read_input_tokens'] ?? 0,
  cacheWriteInputTokens: usage['cache_creation_input_tokens'] ?? 0,
});
