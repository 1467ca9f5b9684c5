import { at, type Event, json, list, num, pageOf, type Said, str } from './recorded.ts';

export function readResponses(events: Event[]): Said {
  const said: Said = {
    text: '',
    reasoning: '',
    calls: [],
    sources: [],
    usage: { prompt: 0, output: 0 },
  };
  const sources = new Set<string>();
  for (const event of events) {
    switch (event['type']) {
      case 'response.output_text.delta':
        said.text += str(event['delta']);
        break;
      case 'response.reasoning_summary_text.delta':
        said.reasoning += str(event['delta']);
        break;
      case 'response.output_text.annotation.added':
        if (at(event, 'annotation', 'type') === 'url_citation')
          sources.add(pageOf(at(event, 'annotation', 'url')));
        break;
      case 'response.output_item.done': {
        const item = event['item'];
        const name = str(at(item, 'name'));
        const type = at(item, 'type');
        if (type === 'function_call')
          said.calls.push(...functionCalls(name, json(str(at(item, 'arguments')))));
        if (type === 'custom_tool_call')
          said.calls.push({ name, args: at(item, 'input'), byProvider: false });
        if (type === 'web_search_call') {
          said.calls.push({ name: 'web_search', args: {}, byProvider: true });
          for (const source of list(at(item, 'action', 'sources')))
            sources.add(pageOf(at(source, 'url')));
        }
        break;
      }
      case 'response.completed':
      case 'response.incomplete':
        said.usage = {
          prompt: num(at(event, 'response', 'usage', 'input_tokens')),
          output: num(at(event, 'response', 'usage', 'output_tokens')),
        };
        break;
      case 'error':
        if (at(event, 'error', 'code') === 'insufficient_quota') said.failure = 'usage_limit';
        break;
    }
  }
  said.sources = [...sources].toSorted();
  return said;
}

/** Some models call several tools through one call of this name. */
function functionCalls(name: string, args: unknown): Said['calls'] {
  const uses = list(at(args, 'tool_uses'));
  if (!name.endsWith('parallel') || uses.length === 0) return [{ name, args, byProvider: false }];
  return uses.map((use) => ({
    name: str(at(use, 'recipient_name')).replace(/^functions\./, ''),
    args: at(use, 'parameters'),
    byProvider: false,
  }));
}
