import {
  answer,
  type FakeProvider,
  fault,
  type Gate,
  gate,
  reasoning,
  type Scripted,
  startFakeProvider,
  text,
  toolCall,
} from '@chatd/testing';

/** The API key, encrypted in the dump. */
export const MODEL_KEY = 'key-of-the-upgrade-model-0123456789';
const SIGNATURE = 'signature-of-the-upgrade-model';
/** The text before a `hold` pauses the stream. */
const HALF = 'half of the answer, ';

/**
 * A model that follows the last message: `say WORDS` · `think WORDS` · `call TOOL {arguments}`, then reports the call ·
 * `hold WORDS` pauses mid-stream until `release` · `fail` is a permanent error. Any other request gets a summary.
 */
export interface ScriptedModel {
  readonly provider: FakeProvider;
  /** Resolves when this many streams have paused. */
  held(count: number): Promise<void>;
  /** Continues all paused streams, and pauses no more. */
  release(): void;
}

export async function startScriptedModel({ holds }: { holds: boolean }): Promise<ScriptedModel> {
  const provider = await startFakeProvider({ api: 'anthropic', key: MODEL_KEY });
  provider.remember({ signatures: [SIGNATURE] });
  const gates: Gate[] = [];
  let holding = holds;
  let next = Promise.withResolvers<void>();
  provider.answerWith(({ body }) => {
    const { said, step } = lastSaid(body['messages'] as WireMessage[]);
    const [, verb = '', rest = ''] = /^(say|think|call|hold|fail) ?(.*)$/s.exec(said) ?? [];
    if (verb === 'hold' && holding) {
      const pause = gate();
      gates.push(pause);
      next.resolve();
      next = Promise.withResolvers();
      return answer([text([HALF, pause, rest])]);
    }
    return answerTo(verb, rest, step);
  });
  return {
    provider,
    async held(count) {
      while (gates.length < count) await next.promise;
      await Promise.all(gates.map(({ reached }) => reached));
    },
    release() {
      holding = false;
      for (const pause of gates) pause.release();
    },
  };
}

function answerTo(verb: string, rest: string, step: number): Scripted {
  switch (verb) {
    case 'say':
      return answer([text(rest)], { usage: { input: 100, output: 20, cacheRead: 7 } });
    case 'think':
      return answer([reasoning('Let me see.', { signature: SIGNATURE }), text(rest)]);
    case 'hold':
      return answer([text(`${HALF}${rest}`)]);
    case 'fail':
      return fault.status(400);
    case 'call': {
      const [, name = '', args = '{}'] = /^(\S+) ?(.*)$/s.exec(rest) ?? [];
      if (step > 0) return answer([text(`${name} was called`)]);
      return answer([
        text(`I call ${name}.`),
        toolCall(name, JSON.parse(args) as Record<string, unknown>),
      ]);
    }
    default:
      return answer([text('A summary of what was said.')]);
  }
}

interface WireMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** The last text of the user, and the number of steps since. */
function lastSaid(messages: readonly WireMessage[]): { said: string; step: number } {
  let step = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant') step += 1;
    if (role !== 'user') continue;
    const texts =
      typeof content === 'string'
        ? [content]
        : content.filter(({ type }) => type === 'text').map(({ text: words = '' }) => words);
    const said = texts.at(-1);
    if (said !== undefined) return { said: said.trim(), step };
  }
  return { said: '', step };
}
