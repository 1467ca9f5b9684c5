import { at, type Event, json, list, num, type Said, str } from './recorded.ts';

export function readChat(events: Event[]): Said {
  const said: Said = {
    text: '',
    reasoning: '',
    calls: [],
    sources: [],
    usage: { prompt: 0, output: 0 },
  };
  const calls = new Map<number, { name: string; text: string }>();
  for (const event of events) {
    const delta = at(event, 'choices', 0, 'delta');
    said.text += str(at(delta, 'content'));
    said.reasoning += str(at(delta, 'reasoning_content')) || str(at(delta, 'reasoning'));
    for (const call of list(at(delta, 'tool_calls'))) {
      const index = num(at(call, 'index'));
      const open = calls.get(index) ?? { name: '', text: '' };
      open.name ||= str(at(call, 'function', 'name'));
      open.text += str(at(call, 'function', 'arguments'));
      calls.set(index, open);
    }
    const usage = event['usage'];
    if (usage)
      said.usage = {
        prompt: num(at(usage, 'prompt_tokens')),
        output: num(at(usage, 'completion_tokens')),
      };
  }
  for (const { name, text } of calls.values())
    said.calls.push({ name, args: json(text), byProvider: false });
  return said;
}
