import {
  type AwaitedTool,
  Interrupted,
  Media,
  MemoryFiles,
  MemoryHistory,
  type ModelSettings,
  runTurn,
  type Tool,
} from '@chatd/loop';
import {
  type AnswerPart,
  answer,
  fault,
  file,
  type FakeProvider,
  gate,
  reasoning,
  startFakeProvider,
  text,
  toolCall,
  webSearch,
} from '@chatd/testing';
import { z } from 'zod';
import { Watch } from '../../../../loop/test/support/chat.ts';
import { counted } from '../../../../loop/test/support/tools.ts';
import { modelOf } from './drive.ts';
import { bytesOf, type MediaType, pixel } from './picture.ts';
import type { Subject } from './subjects.ts';

/** What a model does in one turn of a chat. */
export interface Move {
  readonly subject: Subject;
  /** The service may store its responses, if that is its default. */
  readonly stored: boolean;
  readonly thinks: 'not' | 'aloud' | 'secretly';
  readonly searches: boolean;
  readonly says: boolean;
  readonly calls: readonly ToolName[];
  /** The model has no tools in this turn. */
  readonly bare: boolean;
  /** The prompt is too long for the model, so that it is summarized first. */
  readonly overflows: boolean;
  /** The user interrupts the answer. */
  readonly cut: boolean;
  /** The media type of the file that the user attaches. */
  readonly shows: MediaType | 'nothing';
  /** Generates an image, if the service can. */
  readonly draws: boolean;
}

export const TOOL_NAMES = ['add', 'mcp.look', 'listen', 'quiet', 'broken', 'ask'] as const;
type ToolName = (typeof TOOL_NAMES)[number];

const ask: AwaitedTool = { name: 'ask', input: z.looseObject({}), answeredBy: 'client' };
const tools: readonly Tool[] = [
  counted('add', () => 3),
  counted('mcp.look', () => new Media([{ data: pixel(), media_type: 'image/png' }], 'a dot')),
  counted('listen', () => new Media([{ data: bytesOf('audio/ogg'), media_type: 'audio/ogg' }], '')),
  counted('quiet', () => ''),
  counted('broken', () => {
    throw new Error('out of paper');
  }),
  ask,
];

/** A fake service refused a request. */
class Refused extends Error {
  override readonly name = 'Refused';
}

/** A chat that is answered by one model after another. The fake services refuse what the real ones would refuse. */
export class Walk implements AsyncDisposable {
  readonly #fakes = new Map<string, FakeProvider>();
  readonly #history = new MemoryHistory();
  readonly #files = new MemoryFiles();
  #calls = 0;

  async go(move: Move): Promise<void> {
    const fake = await this.#fake(move.subject);
    const hold = move.cut ? gate() : undefined;
    const calls = move.bare || move.cut ? [] : move.calls;
    const first = this.#parts(move, calls);
    if (move.overflows) fake.answer(fault.contextTooLong(), answer([text('All of it, in short.')]));
    fake.answer(answer(hold ? [...first, text(['half', hold, 'whole'])] : first));
    const waits = calls.includes('ask');
    if (!waits && calls.length > 0) fake.answer(answer([text('So it is.')]));
    await this.#sendInput(move);
    const stop = new AbortController();
    const watch = new Watch();
    const turn = runTurn({
      model: await modelOf(move.subject, fake),
      history: this.#history,
      files: this.#files,
      tools: move.bare ? [] : tools,
      system: ['Be exact.'],
      settings: settingsOf(move),
      limits: { max_attempts: 1 },
      signal: stop.signal,
      publish: watch.publish,
    });
    if (hold !== undefined) {
      await Promise.race([watch.until(() => streamedText(watch).endsWith('half')), turn]);
      stop.abort(new Interrupted());
    }
    const outcome = await turn;
    this.#check(fake);
    const expected = move.cut ? 'interrupted' : waits ? 'requires_action' : 'finished';
    if (outcome.type !== expected) {
      throw new Error(
        `${move.subject.name}: ${expected} was expected, not ${JSON.stringify(outcome)}`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#fakes.values()].map((fake) => fake.close()));
  }

  /** Sends a user message, or the results of awaited calls. */
  async #sendInput(move: Move): Promise<void> {
    const { status, awaited } = this.#history;
    if (status === 'requires_action') {
      this.#history.answer(
        awaited.map(({ tool_call_id }) => ({ tool_call_id, result: { answer: 'yes' } })),
      );
      return;
    }
    const words = { type: 'text' as const, text: 'go on' };
    if (move.shows === 'nothing') return this.#history.send([words]);
    const media_type = move.shows;
    const file_id = await this.#files.save({ data: bytesOf(media_type), media_type });
    this.#history.send([words, { type: 'file', file_id, media_type }]);
  }

  async #fake(subject: Subject): Promise<FakeProvider> {
    // Models that share an API share its fake service.
    const known = this.#fakes.get(subject.api);
    if (known !== undefined) return known;
    const fake = await startFakeProvider({ api: subject.api });
    this.#fakes.set(subject.api, fake);
    return fake;
  }

  #parts(
    { subject, thinks, searches, says, cut, draws }: Move,
    calls: Move['calls'],
  ): AnswerPart[] {
    const mayThink = thinks !== 'not' && subject.reasoning.shown !== 'kept';
    const parts: AnswerPart[] = [];
    if (mayThink) parts.push(thought(subject, thinks, ++this.#calls));
    if (searches && subject.search !== 'none') {
      const results = [{ url: 'https://chatd.example/', title: 'chatd' }];
      parts.push(webSearch({ query: 'chatd', results }));
    }
    if (says || (calls.length === 0 && !cut)) parts.push(text('Well.'));
    if (draws && DRAWING.has(subject.api)) parts.push(file('image/png', pixel()));
    return [
      ...parts,
      ...calls.map((name) => toolCall(name.replace('.', '_'), {}, this.#id(subject))),
    ];
  }

  /** Some servers restart the numbering of calls in each response, and use characters that others refuse. */
  #id({ api }: Subject): { id: string } {
    this.#calls++;
    if (api === 'openai-compatible') return { id: 'functions.call:0' };
    return { id: `call_${this.#calls}_${'x'.repeat(20)}` };
  }

  #check(fake: FakeProvider): void {
    const [refused] = fake.rejected;
    if (refused === undefined) return;
    const sent = JSON.stringify(refused.request.body, null, 1);
    throw new Refused(`${fake.api} refused what it was sent: ${refused.message}\n${sent}`);
  }
}

/** APIs whose models return images in a separate part. */
const DRAWING = new Set<Subject['api']>(['google', 'gateway']);

/** Deltas that arrive in one read may be merged. */
const streamedText = ({ parts }: Watch): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

/** Redacted reasoning arrives without text. */
function thought({ api, model }: Subject, how: Move['thinks'], number: number): AnswerPart {
  const claude = api === 'anthropic' || /anthropic/.test(model);
  if (how === 'secretly' && claude) return reasoning('', { redacted: `sealed_${number}` });
  if (how === 'secretly' && api !== 'openai-compatible') return reasoning('');
  return reasoning(`hm, ${number}`, { chunks: 2 });
}

function settingsOf({ subject, stored, searches }: Move): ModelSettings {
  const { provider_options: _, ...kept } = subject.settings;
  return {
    ...(stored ? kept : subject.settings),
    ...(searches && subject.search !== 'none' && { web_search: {} }),
  };
}
