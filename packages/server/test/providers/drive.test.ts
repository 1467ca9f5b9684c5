import { Interrupted, Media, MemoryFiles, type ModelSettings, runTurn } from '@chatd/loop';
import {
  type AnswerPart,
  answer,
  gate,
  reasoning,
  startFakeProvider,
  text,
  toolCall,
  webSearch,
} from '@chatd/testing';
import { describe, expect, test } from 'vitest';
import { asked, partsOf, textOf, Watch } from '../../../loop/test/support/chat.ts';
import { counted } from '../../../loop/test/support/tools.ts';
import { bodyOf, modelOf, serve } from './support/drive.ts';
import { PIXEL, pixel } from './support/picture.ts';
import { SUBJECTS } from './support/subjects.ts';

const add = () => counted('add', ({ a, b }) => Number(a) + Number(b));
const system = ['Be exact.', 'The notes of the workspace.'];

describe.each(SUBJECTS)('$name', (subject) => {
  const { settings } = subject;
  const thinks: AnswerPart[] =
    subject.reasoning.shown === 'kept'
      ? []
      : [reasoning('two sums', { chunks: 2, signature: 'proof', encrypted: 'proof' })];

  test('output is streamed, and tool calls run in parallel', async () => {
    const fake = await serve(subject);
    const hold = gate();
    fake.answer(
      answer([
        text(['Let me', hold, ' add.']),
        toolCall('mcp_add', { a: 1, b: 2 }, { chunks: 3 }),
        toolCall('add', { a: 3, b: 4 }),
      ]),
      answer([text('3 and 7', { chunks: 3 })]),
    );
    let running = 0;
    const both = Promise.withResolvers<void>();
    // Each call waits until both have started.
    const together = (name: string) =>
      counted(name, async ({ a, b }) => {
        running += 1;
        if (running === 2) both.resolve();
        await both.promise;
        return Number(a) + Number(b);
      });
    const watch = new Watch();
    const history = asked('add them');
    const turn = runTurn({
      model: await modelOf(subject, fake),
      history,
      system,
      settings,
      // Most services refuse this name: it is sent in another form and mapped back.
      tools: [together('mcp.add'), together('add')],
      publish: watch.publish,
    });
    await hold.reached;
    await watch.untilText('Let me');
    hold.release();
    expect(await turn).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('Let me add.3 and 7');
    const calls = partsOf(history.messages, 'tool-call');
    expect(calls.map(({ tool_name, args }) => [tool_name, args])).toEqual([
      ['mcp.add', { a: 1, b: 2 }],
      ['add', { a: 3, b: 4 }],
    ]);
    expect(partsOf(history.messages, 'tool-result').map((part) => part.result)).toEqual([3, 7]);
    const streamed = watch.parts.flatMap((part) =>
      part.type === 'tool-call' && 'args_delta' in part ? [part.args_delta] : [],
    );
    expect(streamed.join('')).toBe('{"a":1,"b":2}{"a":3,"b":4}');
    expect(await Promise.all(fake.closed)).toEqual(['complete', 'complete']);
  });

  test('reasoning is sent back in the same turn and in the next', async () => {
    const fake = await serve(subject);
    fake.answer(
      answer([...thinks, toolCall('add', { a: 1, b: 2 }, { signature: 'proof' })]),
      answer([text('three')]),
      answer([text('you are welcome')]),
    );
    const history = asked('add them');
    const options = {
      model: await modelOf(subject, fake),
      history,
      system,
      settings,
      tools: [add()],
    };
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    const thought = partsOf(history.messages, 'reasoning').map((part) => part.text);
    expect(thought.join('')).toBe(thinks.length === 0 ? '' : 'two sums');
    history.send('thanks');
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('threeyou are welcome');
    const { proof } = subject.reasoning;
    if (proof === 'none') return;
    expect(bodyOf(fake, 1)).toMatch(proof);
    expect(bodyOf(fake, 2)).toMatch(proof);
  });

  test('reasoning from another account of the provider is left out, and the chat continues', async () => {
    const fake = await serve(subject);
    fake.answer(
      answer([...thinks, toolCall('add', { a: 1, b: 2 }, { signature: 'proof' })]),
      answer([text('three')]),
    );
    const history = asked('add them');
    const options = { history, settings, tools: [add()] };
    await runTurn({ ...options, model: await modelOf(subject, fake) });
    // Another account, which cannot verify what the first one signed, encrypted, or stored.
    await using other = await startFakeProvider({ api: subject.api });
    other.answerWith(() => answer([text('you are welcome')]));
    history.send('thanks');
    const outcome = await runTurn({ ...options, model: await modelOf(subject, other) });
    expect(outcome).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('threeyou are welcome');
    // Reasoning that can be verified is sent once, refused, and then left out.
    const verified = subject.reasoning.proof !== 'none' && subject.api !== 'openai-compatible';
    expect(other.requests).toHaveLength(verified ? 2 : 1);
    expect(history.retries).toEqual([]);
  });

  test('web search is offered, its sources are shown, and its results are sent back', async () => {
    const fake = await serve(subject);
    const { search } = subject;
    const page = { url: 'https://chatd.example/', title: 'chatd', encryptedContent: 'sealed' };
    const searched = webSearch({ id: 'search', query: 'chatd', results: [page] });
    fake.answer(
      answer(
        search === 'none' ? [text('Found.')] : [searched, text('Found.', { citations: [page] })],
      ),
      answer([text('Yes.')]),
    );
    const history = asked('look for it');
    const searching: ModelSettings = { max_output_tokens: 1_000, web_search: {} };
    const options = { model: await modelOf(subject, fake), history, settings: searching };
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    history.send('is that so?');
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    if (search === 'none') {
      expect(fake.requests[0]?.body).not.toHaveProperty('tools');
      return;
    }
    expect(bodyOf(fake, 0)).toMatch(search.offered);
    expect(partsOf(history.messages, 'source').map((part) => part.url)).toContain(page.url);
    if (search.proof !== 'none') expect(bodyOf(fake, 1)).toMatch(search.proof);
  });

  test('an image that a tool returns is sent as an image', async () => {
    const fake = await serve(subject);
    fake.answer(answer([toolCall('look', {})]), answer([text('A dot.')]));
    const look = counted('look', () => {
      return new Media([{ data: pixel(), media_type: 'image/png' }], 'taken just now');
    });
    const history = asked('what is on the screen?');
    const options = { model: await modelOf(subject, fake), history, settings, tools: [look] };
    expect(await runTurn({ ...options, files: new MemoryFiles() })).toEqual({ type: 'finished' });
    const sent = bodyOf(fake, 1);
    expect(sent).toMatch(subject.image);
    expect(sent).toContain('taken just now');
    expect(sent.split(PIXEL)).toHaveLength(2);
  });

  test('token usage is counted by class', async () => {
    const fake = await serve(subject);
    const usage = { input: 100, cacheRead: 900, cacheWrite: 50, output: 40, reasoning: 10 };
    fake.answer(answer([text('Well.')], { usage }));
    const history = asked();
    await runTurn({ model: await modelOf(subject, fake), history, settings });
    const { counts } = subject;
    expect(history.messages[1]?.usage).toEqual({
      // Cache writes that are not reported separately count as input.
      input_tokens: counts.cacheWrites ? 100 : 150,
      cache_read_tokens: 900,
      ...(counts.cacheWrites && { cache_creation_tokens: 50 }),
      output_tokens: 40,
      ...(counts.reasoning && { reasoning_tokens: 10 }),
      total_tokens: 1_090,
    });
  });

  test('the prompt has cache markers if the service needs them', async () => {
    const fake = await serve(subject);
    const calls = [1, 2, 3].map((a) => toolCall('add', { a, b: 1 }));
    fake.answer(answer(calls), answer([text('2, 3, 4')]), answer([text('Yes.')]));
    const history = asked('add');
    const options = {
      model: await modelOf(subject, fake),
      history,
      system,
      settings,
      tools: [add()],
    };
    await runTurn(options);
    history.send('sure?');
    await runTurn(options);
    const marks = fake.requests.map((_, index) =>
      subject.cacheMark === 'none' ? 0 : bodyOf(fake, index).match(subject.cacheMark)?.length,
    );
    expect(marks).toEqual(subject.cacheMark === 'none' ? [0, 0, 0] : [2, 3, 3]);
    if (subject.cacheMark === 'none')
      expect(bodyOf(fake, 1)).not.toMatch(/cache_?(?:control|point)/i);
  });

  test('the requested effort is sent to the model', async () => {
    const fake = await serve(subject);
    fake.answer(answer([text('Well.')]));
    const history = asked();
    const asking = { ...settings, max_output_tokens: 20_000, effort: 'high' } as const;
    await runTurn({ model: await modelOf(subject, fake), history, settings: asking });
    expect(bodyOf(fake, 0)).toMatch(subject.effort);
  });

  test('an interrupt mid-stream closes the connection, and the chat continues from there', async () => {
    const fake = await serve(subject);
    const hold = gate();
    fake.answer(
      answer([...thinks, text(['half', hold, ' whole']), toolCall('add', { a: 1, b: 1 })]),
      answer([text('on')]),
    );
    const stop = new AbortController();
    const watch = new Watch();
    const history = asked('go');
    const options = { model: await modelOf(subject, fake), history, settings, tools: [add()] };
    const turn = runTurn({ ...options, signal: stop.signal, publish: watch.publish });
    await hold.reached;
    await watch.untilText('half');
    stop.abort(new Interrupted());
    expect(await turn).toEqual({ type: 'interrupted' });
    expect(await fake.closed[0]).toBe('aborted');
    history.send('go on');
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('halfon');
  });

  test('an interrupt before the first part closes the connection', async () => {
    const fake = await serve(subject);
    const hold = gate();
    fake.answer(answer([hold, text('late')]));
    const stop = new AbortController();
    const history = asked('go');
    const turn = runTurn({
      model: await modelOf(subject, fake),
      history,
      settings,
      signal: stop.signal,
    });
    await hold.reached;
    stop.abort(new Interrupted());
    expect(await turn).toEqual({ type: 'interrupted' });
    expect(await fake.closed[0]).toBe('aborted');
    expect(history.messages).toHaveLength(1);
  });
});
