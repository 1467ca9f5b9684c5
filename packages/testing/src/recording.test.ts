import type { JsonObject } from './json.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { collect } from '../test/support/collect.ts';
import { modelOf } from '../test/support/models.ts';
import { post } from '../test/support/post.ts';
import { MISSING, RECORDED } from '../test/support/recorded.ts';
import { answer, loadRecording, startFakeProvider, text } from './index.ts';
import { asObject, asText, isJson, objects } from './json.ts';

/** The text and reasoning of a recording, derived from its lines alone. */
function saidIn(lines: readonly string[]): { text: string; reasoning: string } {
  const events = lines.filter(isJson).map((line) => asObject(JSON.parse(line)));
  return {
    text: events.map((event) => wordsOf(event, false)).join(''),
    reasoning: events.map((event) => wordsOf(event, true)).join(''),
  };
}

function wordsOf(event: JsonObject, thought: boolean): string {
  const delta = asObject(event['delta']);
  const type = asText(event['type']);
  if (type === 'content_block_delta') return asText(delta[thought ? 'thinking' : 'text']);
  if (type === 'response.output_text.delta') return thought ? '' : asText(event['delta']);
  if (type === 'response.reasoning_summary_text.delta')
    return thought ? asText(event['delta']) : '';
  if (type !== '') return '';
  const chat = objects(event['choices']).map((choice) => asObject(choice['delta']));
  const parts = objects(event['candidates']).flatMap((candidate) =>
    objects(asObject(candidate['content'])['parts']),
  );
  return [
    ...chat.map((part) => asText(part[thought ? 'reasoning_content' : 'content'])),
    ...parts
      .filter((part) => (part['thought'] === true) === thought)
      .map((part) => asText(part['text'])),
  ].join('');
}

/** The package throws an error that precedes all content. */
const FAILED = /responses\/error\.1\.jsonl/;

/** A second message starts in the middle of the first, and the package keeps the thinking of only one. */
const SPLICED = 'anthropic/spliced-message-start.jsonl';

describe('recorded streams', () => {
  test.for(MISSING)('are not tested: %s', (reason, { skip }) => skip(reason));

  test.each(RECORDED)('the real package decodes $name', async ({ api, name, url }) => {
    await using provider = await startFakeProvider({ api });
    const recording = await loadRecording(url);
    provider.answer(recording);
    const collected = await collect(modelOf(provider));
    if (FAILED.test(name)) expect(String(collected.error)).toContain('exceeded your current quota');
    else expect(collected.parts.length).toBeGreaterThan(1);
    const said = saidIn(recording.lines);
    expect(collected.text).toBe(said.text);
    if (name === SPLICED) expect(said.reasoning).toContain(collected.reasoning);
    else expect(collected.reasoning).toBe(said.reasoning);
    expect(await provider.closed[0]).toBe('complete');
  });

  test.each(RECORDED)('$name is sent byte for byte', async ({ api, url }) => {
    await using provider = await startFakeProvider({ api, strict: false });
    provider.answer(await loadRecording(url));
    const { body } = await post(provider, { stream: true });
    const data = [...String(body).matchAll(/^data: (.*)$/gm)].map(([, line]) => line);
    const lines = readFileSync(url, 'utf8').trimEnd().split('\n');
    expect(data).toEqual(api === 'openai-compatible' ? [...lines, '[DONE]'] : lines);
  });
});

test('the provider accepts the values of a recording when they are sent back', async () => {
  await using provider = await startFakeProvider({ api: 'anthropic' });
  const deltas = [
    { type: 'thinking_delta', thinking: 'hm' },
    { type: 'signature_delta', signature: 'recorded' },
  ];
  const lines = deltas.map((delta) =>
    JSON.stringify({ type: 'content_block_delta', index: 0, delta }),
  );
  provider.answer({ kind: 'recording', lines }, answer([text('Yes.')]));
  const words = { role: 'user', content: 'x' };
  const base = { model: 'claude', max_tokens: 1, stream: true };
  await post(provider, { ...base, messages: [words] });
  const thinking = { type: 'thinking', thinking: 'hm', signature: 'recorded' };
  const said = { role: 'assistant', content: [thinking, { type: 'text', text: 'So.' }] };
  await post(provider, { ...base, messages: [words, said, words] });
  expect(provider.rejected).toEqual([]);
});
