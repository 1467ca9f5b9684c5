import type { HistoryMessage } from '@chatd/loop';
import { partsOf } from './chat.ts';
import { pageOf, type Said } from './recorded.ts';

/** The content of a committed response, in the form in which recordings are read. */
export function saidIn(messages: readonly HistoryMessage[]): Said {
  const response = messages.filter((m) => m.role === 'assistant');
  const usage = response[0]?.usage;
  return {
    text: partsOf(response, 'text')
      .map((p) => p.text)
      .join(''),
    reasoning: partsOf(response, 'reasoning')
      .map((p) => p.text)
      .join(''),
    calls: partsOf(response, 'tool-call').map(({ tool_name, args, provider_executed }) => ({
      name: tool_name,
      args,
      byProvider: provider_executed === true,
    })),
    sources: [...new Set(partsOf(response, 'source').map((p) => pageOf(p.url)))].toSorted(),
    usage: {
      prompt:
        (usage?.input_tokens ?? 0) +
        (usage?.cache_read_tokens ?? 0) +
        (usage?.cache_creation_tokens ?? 0),
      output: usage?.output_tokens ?? 0,
    },
  };
}
