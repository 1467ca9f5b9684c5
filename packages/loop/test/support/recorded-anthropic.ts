import { at, type Event, json, list, num, type Said, str } from './recorded.ts';

const SERVER_BLOCKS = new Set(['server_tool_use', 'mcp_tool_use']);

export function readAnthropic(events: Event[]): Said {
  const blocks = new Map<number, { type: string; name: string; text: string; input: unknown }>();
  const said: Said = {
    text: '',
    reasoning: '',
    calls: [],
    sources: [],
    usage: { prompt: 0, output: 0 },
  };
  const sources = new Set<string>();
  const usage: Record<string, number> = {};
  let stop: unknown;
  const take = (from: unknown) => {
    for (const [key, value] of Object.entries(from ?? {}))
      if (typeof value === 'number') usage[key] = value;
  };
  for (const event of events) {
    const index = num(event['index']);
    const block = event['content_block'];
    switch (event['type']) {
      case 'message_start':
        // Two responses in one stream are ambiguous.
        if (blocks.size > 0) said.failure = 'timeout';
        take(at(event, 'message', 'usage'));
        break;
      case 'content_block_start':
        blocks.set(index, {
          type: str(at(block, 'type')),
          name: str(at(block, 'name')),
          text: str(at(block, 'text')),
          input: at(block, 'input'),
        });
        for (const result of list(at(block, 'content'))) {
          if (at(result, 'type') === 'web_search_result') sources.add(str(at(result, 'url')));
        }
        break;
      case 'content_block_delta': {
        const open = blocks.get(index);
        const delta = event['delta'];
        if (open)
          open.text +=
            str(at(delta, 'text')) + str(at(delta, 'thinking')) + str(at(delta, 'partial_json'));
        break;
      }
      case 'message_delta':
        take(event['usage']);
        stop = at(event, 'delta', 'stop_reason') ?? stop;
        break;
    }
  }
  for (const { type, name, text, input } of blocks.values()) {
    if (type === 'text') said.text += text;
    if (type === 'thinking') said.reasoning += text;
    if (type === 'tool_use' || SERVER_BLOCKS.has(type)) {
      // For calls of a remote MCP server, the package returns the input of the start event.
      const args = text === '' || type === 'mcp_tool_use' ? (input ?? {}) : json(text);
      said.calls.push({ name, args, byProvider: SERVER_BLOCKS.has(type) });
    }
  }
  said.sources = [...sources].toSorted();
  said.usage = {
    prompt:
      (usage['input_tokens'] ?? 0) +
      (usage['cache_read_input_tokens'] ?? 0) +
      (usage['cache_creation_input_tokens'] ?? 0),
    output: usage['output_tokens'] ?? 0,
  };
  return stop === 'refusal' ? { ...said, failure: 'content_filter' } : said;
}
