import { ownTimeZone } from '../../format/time-zone.ts';
import type { BodyOf } from '@chatd/client';
import type {
  ApprovalAction,
  ApprovalRule,
  MissedRuns,
  Trigger,
  TriggerChat,
  TriggerConcurrency,
  TriggerKind,
  WebhookVerification,
} from '@chatd/protocol';
import {
  linesIn,
  microsIn,
  microsText,
  notNumbers,
  numberIn,
  numberText,
} from '../form/numbers.ts';
import type { FieldErrors } from '../form/use-form.ts';

export interface TriggerValues {
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  readonly missed: MissedRuns;
  readonly verification: WebhookVerification;
  /** Empty: generated, or unchanged. */
  readonly secret: string;
  readonly prompt: string;
  /** Empty: a new chat for each run. */
  readonly key: string;
  /** Empty: the default model. */
  readonly model: string;
  /** "template ID", "workspace ID", or empty: none. */
  readonly workspace: string;
  /** "allow PATTERN", one per line. */
  readonly approvals: string;
  readonly concurrency: TriggerConcurrency;
  readonly max_failures: string;
  readonly spend_limit_micros: string;
}

const DEFAULT_MAX_FAILURES = 5;

export function valuesOfTrigger(trigger: Trigger | undefined): TriggerValues {
  const chat = trigger?.chat ?? {};
  return {
    name: trigger?.name ?? '',
    cron: trigger?.cron ?? '0 9 * * 1-5',
    timezone: trigger?.timezone ?? ownTimeZone(),
    missed: trigger?.missed ?? 'skip',
    verification: trigger?.verification ?? 'token',
    secret: '',
    prompt: trigger?.prompt ?? '',
    key: chat.continue?.key ?? '',
    model: chat.model_config_id ?? '',
    workspace:
      chat.template_id === undefined
        ? chat.workspace_id === undefined
          ? ''
          : `workspace ${chat.workspace_id}`
        : `template ${chat.template_id}`,
    approvals: (chat.approvals ?? [])
      .map(({ action, pattern }) => `${action} ${pattern}`)
      .join('\n'),
    concurrency: trigger?.concurrency ?? 'queue',
    max_failures: numberText(trigger === undefined ? DEFAULT_MAX_FAILURES : trigger.max_failures),
    spend_limit_micros: microsText(trigger?.spend_limit_micros),
  };
}

const RULE = /^(allow|ask|deny)\s+(\S.*)$/;

/** Undefined: a line is not a rule. */
function rulesIn(text: string): ApprovalRule[] | undefined {
  const rules = linesIn(text).map((line) => RULE.exec(line));
  if (rules.some((rule) => rule === null)) return undefined;
  return rules.map((rule) => ({
    action: rule?.[1] as ApprovalAction,
    pattern: rule?.[2] ?? '',
  }));
}

export function checkTrigger(values: TriggerValues, kind: TriggerKind): FieldErrors {
  const { secret, verification, approvals } = values;
  return {
    ...notNumbers(values, ['max_failures', 'spend_limit_micros']),
    ...(rulesIn(approvals) === undefined && {
      'chat.approvals': 'must be allow, ask or deny, and a pattern, one rule per line',
    }),
    ...(kind === 'webhook' &&
      secret === '' &&
      verification === 'slack' && {
        'verify.secret': 'must be the signing secret of the Slack app',
      }),
  };
}

/** The body of a change. For a new trigger, the kind is added. */
export function bodyOfTrigger(
  values: TriggerValues,
  kind: TriggerKind,
  trigger: Trigger | undefined,
): BodyOf<'updateTrigger'> & { name: string; prompt: string } {
  const { name, prompt, concurrency, verification, secret } = values;
  const newSecret = secret !== '' || verification !== trigger?.verification;
  return {
    name: name.trim(),
    prompt,
    chat: chatOf(values, trigger?.chat ?? {}),
    concurrency,
    max_failures: numberIn(values.max_failures) ?? null,
    spend_limit_micros: microsIn(values.spend_limit_micros) ?? null,
    ...(kind === 'schedule' && {
      cron: values.cron.trim(),
      timezone: values.timezone,
      missed: values.missed,
    }),
    ...(kind === 'webhook' &&
      newSecret && { verify: { type: verification, ...(secret !== '' && { secret }) } }),
  };
}

/** Settings that the form does not show are kept. */
function chatOf(values: TriggerValues, before: TriggerChat): TriggerChat {
  const {
    continue: _key,
    model_config_id: _model,
    template_id: _template,
    workspace_id: _workspace,
    approvals: _approvals,
    ...rest
  } = before;
  const [place, id = ''] = values.workspace.split(' ');
  const approvals = rulesIn(values.approvals) ?? [];
  return {
    ...rest,
    ...(values.key.trim() !== '' && { continue: { key: values.key.trim() } }),
    ...(values.model !== '' && { model_config_id: values.model }),
    ...(place === 'template' && { template_id: id }),
    ...(place === 'workspace' && { workspace_id: id }),
    ...(approvals.length > 0 && { approvals }),
  };
}
