import type { BodyOf } from '@chatd/client';
import { type Attachment, readAttachment } from '../attachments/attach.ts';
import { textOf } from '../attachments/media-type.ts';
import { hasInput, readStdin } from '../attachments/read-stdin.ts';
import { labelsOf } from '../chats/labels.ts';
import { usageError } from '../command-failed.ts';
import type { Context } from '../context.ts';
import type { ApprovePolicy } from './approve.ts';

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = NonNullable<BodyOf<'createChat'>['reasoning_effort']>;

/** The command line of `chatd run`. */
export interface RunOptions {
  readonly prompt: string;
  readonly chat?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: Effort | undefined;
  readonly system?: string | undefined;
  readonly file?: readonly string[] | undefined;
  readonly label?: readonly string[] | undefined;
  readonly title?: string | undefined;
  readonly project?: string | undefined;
  readonly workspace?: string | undefined;
  readonly template?: string | undefined;
  readonly plan?: boolean | undefined;
  readonly approve?: ApprovePolicy | undefined;
  readonly timeout?: string | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly stdin: boolean;
}

/** What the options mean, checked as far as possible without the server. */
export interface RunRequest {
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  readonly labels: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
}

const NEW_CHAT_OPTIONS = [
  'system',
  'label',
  'title',
  'project',
  'workspace',
  'template',
  'plan',
] as const;

export async function requestOf(context: Context, options: RunOptions): Promise<RunRequest> {
  if (options.chat !== undefined) {
    const misplaced = NEW_CHAT_OPTIONS.find((name) => options[name] !== undefined);
    if (misplaced !== undefined) {
      throw usageError(`--${misplaced} is for new chats. It cannot be combined with --chat.`);
    }
  }
  if (options.workspace !== undefined && options.template !== undefined) {
    throw usageError('--workspace and --template cannot be combined.');
  }
  const timeoutMs = timeoutOf(options.timeout);
  const labels = labelsOf(options.label, '--label ');
  const files = await Promise.all((options.file ?? []).map(readAttachment));
  const { prompt, attachments } = await withStdin(context, options);
  if (prompt.trim() === '') throw usageError('The prompt is empty.');
  return { prompt, attachments: [...attachments, ...files], labels, timeoutMs };
}

async function withStdin(
  context: Context,
  { prompt, stdin }: RunOptions,
): Promise<{ prompt: string; attachments: Attachment[] }> {
  if (prompt === '-') {
    const read = await readStdin(context);
    const text = read === undefined ? '' : textOf(read.bytes);
    if (text === undefined) throw usageError('The input on stdin is not text.');
    return { prompt: text, attachments: [] };
  }
  if (!stdin || !hasInput(context.stdin)) return { prompt, attachments: [] };
  const read = await readStdin(context);
  return { prompt, attachments: read === undefined ? [] : [read] };
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0) || seconds > 1_000_000) {
    throw usageError(`--timeout must be a number of seconds, not ${JSON.stringify(text)}.`);
  }
  return seconds * 1000;
}
