import type { BodyOf } from '@chatd/client';
import { readAttachment } from '../attachments/attach.ts';
import type { Attachment } from '../attachments/attach.ts';
import { textOf } from '../attachments/media-type.ts';
import { isFed, readStdin } from '../attachments/read-stdin.ts';
import { labelsOf } from '../chats/labels.ts';
import { usageError } from '../command-failed.ts';
import type { Context } from '../context.ts';

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = NonNullable<BodyOf<'createChat'>['reasoning_effort']>;

export interface RunFlags {
  readonly prompt: string;
  readonly chat?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly system?: string;
  readonly file?: readonly string[];
  readonly label?: readonly string[];
  readonly title?: string;
  readonly workspace?: string;
  readonly template?: string;
  readonly plan?: boolean;
  readonly timeout?: string;
  readonly 'no-stdin'?: boolean;
}

/** What is asked, checked as far as that is possible without the server. */
export interface RunRequest {
  readonly prompt: string;
  readonly attachments: readonly Attachment[];
  readonly chat: string | undefined;
  readonly model: string | undefined;
  readonly effort: Effort | undefined;
  readonly timeoutMs: number | undefined;
  /** For a new chat only. */
  readonly birth: {
    readonly system: string | undefined;
    readonly title: string | undefined;
    readonly labels: Readonly<Record<string, string>>;
    readonly workspace: string | undefined;
    readonly template: string | undefined;
    readonly plan: boolean;
  };
}

const BIRTH = ['system', 'label', 'title', 'workspace', 'template', 'plan'] as const;

export async function requestOf(context: Context, flags: RunFlags): Promise<RunRequest> {
  const misplaced = BIRTH.find((name) => flags.chat !== undefined && flags[name] !== undefined);
  if (misplaced !== undefined) {
    throw usageError(`--${misplaced} is for new chats, and --chat goes on with one.`);
  }
  if (flags.workspace !== undefined && flags.template !== undefined) {
    throw usageError('--workspace and --template exclude each other.');
  }
  const timeoutMs = timeoutOf(flags.timeout);
  const labels = labelsOf(flags.label, '--label ');
  const files = await Promise.all((flags.file ?? []).map(readAttachment));
  const { prompt, attachments } = await withStdin(context, flags);
  if (prompt.trim() === '') throw usageError('The prompt is empty.');
  return {
    prompt,
    attachments: [...attachments, ...files],
    chat: flags.chat,
    model: flags.model,
    effort: flags.effort as Effort | undefined,
    timeoutMs,
    birth: {
      system: flags.system,
      title: flags.title,
      labels,
      workspace: flags.workspace,
      template: flags.template,
      plan: flags.plan === true,
    },
  };
}

async function withStdin(
  context: Context,
  { prompt, 'no-stdin': leave }: RunFlags,
): Promise<{ prompt: string; attachments: Attachment[] }> {
  if (prompt === '-') {
    const read = await readStdin(context);
    const text = read === undefined ? '' : textOf(read.bytes);
    if (text === undefined) throw usageError('What came in on stdin is not text.');
    return { prompt: text, attachments: [] };
  }
  if (leave === true || !isFed(context.stdin)) return { prompt, attachments: [] };
  const read = await readStdin(context);
  return { prompt, attachments: read === undefined ? [] : [read] };
}

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds > 0) || seconds > 1_000_000) {
    throw usageError(`--timeout must be a number of seconds, and is ${JSON.stringify(text)}.`);
  }
  return seconds * 1000;
}
