import type { Answer, AwaitedCall, Json } from '@chatd/protocol';
import { z } from 'zod';
import { PLAN_TOOL } from '../chat/answers.ts';
import { filePart, type PostedPart } from '../protocols/input-files.ts';
import { A2aError } from './errors.ts';
import type { RequestPart } from './requests.ts';

/** The parts of a message. Data becomes text, because models read text. */
export const readParts = (parts: readonly RequestPart[]): PostedPart[] =>
  parts.map((part) => {
    const { text, raw, url, data, mediaType } = part;
    const name = part.filename || 'file';
    if (text !== undefined) return { type: 'text', text };
    if (raw !== undefined) {
      // One class: overlapping repetitions would take quadratic time.
      if (!/^[A-Za-z0-9+/=_-]*$/.test(raw)) throw invalid('`raw` must be Base64.');
      const bytes = Buffer.from(raw, 'base64');
      const type = mediaType || 'application/octet-stream';
      return { type: 'new-file', name, mediaType: type, bytes };
    }
    if (url === undefined) return { type: 'text', text: JSON.stringify(data ?? null) };
    const file = filePart(url, name);
    if (file === undefined) {
      throw new A2aError(
        'CONTENT_TYPE_NOT_SUPPORTED',
        'chatd does not fetch URLs. Send the file as `raw`, as a data: URL, or as the URL of a file of this server.',
      );
    }
    return file;
  });

/** The answers of a message to the calls that a task waits for. */
export interface TaskAnswers {
  readonly decisions: { tool_call_id: string; decision: 'allow' | 'deny'; reason?: string }[];
  readonly answers: { tool_call_id: string; answer: Answer }[];
  readonly results: { tool_call_id: string; output: Json }[];
}

const AnswerData = z.object({
  tool_call_id: z.string(),
  decision: z.enum(['allow', 'deny']).optional(),
  reason: z.string().optional(),
  answer: z.unknown().optional(),
  output: z.unknown().optional(),
});

const YES = /^\W*(allow|approved?|accept(ed)?|yes|ok)\W*$/i;
const NO = /^\W*(deny|denied|reject(ed)?|no)\W*$/i;

/** Text answers the only pending call. Data parts name their call. Answers to calls that are no longer pending are ignored. */
export function readAnswers(
  parts: readonly RequestPart[],
  pending: readonly AwaitedCall[],
): TaskAnswers {
  const read: TaskAnswers = { decisions: [], answers: [], results: [] };
  const named = parts.flatMap(({ data }) => AnswerData.safeParse(data).data ?? []);
  for (const { tool_call_id, decision, reason, answer, output } of named) {
    const call = pending.find((each) => each.tool_call_id === tool_call_id);
    if (call === undefined) continue;
    if (call.kind === 'approval' && decision !== undefined) {
      read.decisions.push({ tool_call_id, decision, ...(reason !== undefined && { reason }) });
    } else if (call.kind === 'question' && answer !== undefined) {
      read.answers.push({ tool_call_id, answer: answer as Answer });
    } else if (call.kind === 'dynamic' && output !== undefined) {
      read.results.push({ tool_call_id, output: output as Json });
    } else {
      throw invalid(`The data for ${tool_call_id} must have \`${FIELDS[call.kind]}\`.`);
    }
  }
  if (named.length > 0) {
    if (Object.values(read).some((list: readonly object[]) => list.length > 0)) return read;
    throw invalid(`None of the answered calls is pending. ${expected(pending)}`);
  }
  const [call, other] = pending;
  const text = parts.flatMap((part) => part.text ?? []).join('\n');
  if (call === undefined || other !== undefined || text.trim() === '') {
    throw invalid(expected(pending));
  }
  const { tool_call_id } = call;
  const [yes, no] = [YES.test(text), NO.test(text)];
  if (call.kind === 'dynamic') read.results.push({ tool_call_id, output: text });
  else if (call.kind === 'approval') {
    if (!yes && !no) throw invalid('The task waits for an approval. Answer "allow" or "deny".');
    read.decisions.push({ tool_call_id, decision: yes ? 'allow' : 'deny' });
  } else if (call.tool_name === PLAN_TOOL) {
    const answer = yes || no ? { accepted: yes } : { accepted: false, text };
    read.answers.push({ tool_call_id, answer });
  } else read.answers.push({ tool_call_id, answer: text });
  return read;
}

const FIELDS = { approval: 'decision', question: 'answer', dynamic: 'output' } as const;

const expected = (pending: readonly AwaitedCall[]) =>
  `Answer the pending calls with data parts: ${pending
    .map(({ tool_call_id, kind }) => `{"tool_call_id": "${tool_call_id}", "${FIELDS[kind]}": …}`)
    .join(', ')}.`;

const invalid = (message: string) => new A2aError('INVALID_PARAMS', message);

/** What a call waits for, in words. */
export function describeCall({ kind, tool_name, args }: AwaitedCall): string {
  const given = (args ?? {}) as {
    readonly question?: string;
    readonly plan?: string;
    readonly options?: readonly { readonly label: string; readonly description?: string }[];
  };
  if (kind === 'question' && tool_name === PLAN_TOOL) {
    return `${given.plan ?? ''}\n\nAnswer "accept", or say what to change.`;
  }
  if (kind === 'question') {
    const options = (given.options ?? []).map(
      ({ label, description }) => `- ${label}${description ? `: ${description}` : ''}`,
    );
    return [given.question ?? '', ...options].join('\n');
  }
  const called = `${tool_name} ${JSON.stringify(args)}`;
  return kind === 'approval'
    ? `Approval required: ${called}\n\nAnswer "allow" or "deny".`
    : `Result required: ${called}`;
}
