import {
  answer,
  type ScriptedAnswer,
  type AnswerPart,
  file,
  type Gate,
  reasoning,
  text,
  toolCall,
  webSearch,
} from '@chatd/testing';
import { png } from '../support/images.ts';
import { resultOfSearch, searchWithoutResult } from '../support/paused-search.ts';
import type { ConversationStep, StepPart, SummaryAnswer } from './conversation.ts';
import type { Target } from './targets.ts';

/** Tokens of a prompt that nearly fills the context, and of one that does not. */
export const CONTEXT_LIMIT = 1_000;
const usageOf = (full: boolean) => ({ input: full ? 900 : 10 });

const SEARCH = {
  query: 'cats',
  results: [{ url: 'https://example.com/', title: 'Cats' }],
};

/** Higher than all block indexes that the fake provider assigns. */
const PAUSED_BLOCK = 90;

/** An answer that continues a paused one with the result of its search. */
export const continued = (given: ScriptedAnswer, search: string): ScriptedAnswer => ({
  ...given,
  parts: [...resultOfSearch(search, PAUSED_BLOCK + 1), ...given.parts],
});

/** The names and ids that a rendered answer uses. */
export interface Names {
  wireName(tool: string): string;
  /** Unique among all providers. */
  newId(): string;
}

/** Chat Completions servers may choose any call ids, and repeat them. */
const REPEATS_CALL_IDS: ReadonlySet<Target['api']> = new Set([
  'openai-chat',
  'openai-compatible',
  'openrouter',
]);

/** Google sends arguments as a value, so they are always JSON. */
function argsFor(args: string, api: Target['api']): string {
  if (api !== 'google') return args;
  try {
    JSON.parse(args);
    return args;
  } catch {
    return '{}';
  }
}

function partOf(part: StepPart, api: Target['api'], names: Names): AnswerPart {
  switch (part.type) {
    case 'text':
      return text('some words');
    case 'blank':
      return text(' \n');
    case 'reasoning':
      return reasoning('thinking');
    case 'search':
      return webSearch(SEARCH);
    case 'file':
      return file('image/png', png());
    case 'call':
      return toolCall(names.wireName(part.tool), argsFor(part.args, api), {
        id: (REPEATS_CALL_IDS.has(api) ? part.id : undefined) ?? names.newId(),
      });
  }
}

/** OpenRouter's package joins several into one whose signature does not match, so the loop omits them. */
const withOneReasoning = (parts: readonly AnswerPart[]): AnswerPart[] => {
  const first = parts.findIndex(({ type }) => type === 'reasoning');
  return parts.filter(({ type }, index) => type !== 'reasoning' || index === first);
};

/** A step as an answer of the target's model, without the parts that its API does not support. */
export function render(
  step: ConversationStep,
  { api, carries }: Target,
  names: Names,
  stopHere?: Gate,
): ScriptedAnswer {
  const all = step.parts
    .map((part) => partOf(part, api, names))
    .filter(({ type }) => type === 'text' || type === 'tool-call' || carries.has(type));
  const parts = api === 'openrouter' ? withOneReasoning(all) : all;
  const middle = Math.ceil(parts.length / 2);
  const finish = step.finish === 'pause' && api !== 'anthropic' ? 'natural' : step.finish;
  const stopped =
    stopHere === undefined ? parts : [...parts.slice(0, middle), stopHere, ...parts.slice(middle)];
  const pauses = finish === 'pause' && carries.has('web-search');
  return answer([...stopped, ...(pauses ? searchWithoutResult(names.newId(), PAUSED_BLOCK) : [])], {
    usage: usageOf(step.full),
    ...(finish !== 'natural' && { finish }),
  });
}

export function renderSummary(kind: SummaryAnswer, { carries }: Target): ScriptedAnswer {
  switch (kind) {
    case 'call':
      return answer([text('first I look'), toolCall('text', {})]);
    case 'cut off':
      return answer([text('the user wan')], { finish: 'length' });
    case 'empty':
      return answer([]);
    case 'reasoning':
      return answer(carries.has('reasoning') ? [reasoning('how to say it')] : [text('gist')]);
    case 'text':
      return answer([text('the gist')]);
  }
}
