import { at, type Event, list, num, type Said, str } from './recorded.ts';

export function readGoogle(events: Event[]): Said {
  const said: Said = {
    text: '',
    reasoning: '',
    calls: [],
    sources: [],
    usage: { prompt: 0, output: 0 },
  };
  const sources = new Set<string>();
  for (const event of events) {
    for (const part of list(at(event, 'candidates', 0, 'content', 'parts'))) {
      if (at(part, 'thought') === true) said.reasoning += str(at(part, 'text'));
      else said.text += str(at(part, 'text'));
      const call = at(part, 'functionCall');
      if (call !== undefined && str(at(call, 'name')) !== '') {
        said.calls.push({
          name: str(at(call, 'name')),
          args: at(call, 'args') ?? {},
          byProvider: false,
        });
      }
      // Streamed arguments: each delta continues the string at its path, here always a top-level key.
      for (const piece of list(at(call, 'partialArgs'))) {
        const args = said.calls.at(-1)?.args as Record<string, string>;
        const key = str(at(piece, 'jsonPath')).replace('$.', '');
        args[key] = (args[key] ?? '') + str(at(piece, 'stringValue'));
      }
    }
    for (const chunk of list(at(event, 'candidates', 0, 'groundingMetadata', 'groundingChunks'))) {
      sources.add(str(at(chunk, 'web', 'uri')));
    }
    const usage = event['usageMetadata'];
    if (usage) {
      said.usage = {
        prompt: num(at(usage, 'promptTokenCount')),
        output: num(at(usage, 'candidatesTokenCount')) + num(at(usage, 'thoughtsTokenCount')),
      };
    }
  }
  said.sources = [...sources].toSorted();
  return said;
}
