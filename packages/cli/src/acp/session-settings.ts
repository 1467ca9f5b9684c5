import {
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import type { BodyOf } from '@chatd/client';
import type { Model } from '../resources/models.ts';
import { EFFORTS } from '../run/request.ts';

/** The settings of a chat that an editor can change. */
export type ChatSettings = Pick<
  BodyOf<'updateChat'>,
  'plan_mode' | 'model_config_id' | 'reasoning_effort'
>;

const MODES = [
  { id: 'default', name: 'Default', description: 'The agent works with all its tools' },
  { id: 'plan', name: 'Plan', description: 'Read-only until you accept a plan' },
];

const modeId = ({ plan_mode: planning }: ChatSettings) => (planning === true ? 'plan' : 'default');

export const modesOf = (settings: ChatSettings): SessionModeState => ({
  currentModeId: modeId(settings),
  availableModes: MODES,
});

const select = (
  id: string,
  category: string,
  name: string,
  currentValue: string,
  options: readonly { value: string; name: string; description?: string }[],
): SessionConfigOption => ({
  type: 'select',
  id,
  category,
  name,
  currentValue,
  options: [...options],
});

export function configOptionsOf(
  settings: ChatSettings,
  models: readonly Model[],
): SessionConfigOption[] {
  const model = settings.model_config_id ?? models.find(({ is_default }) => is_default)?.id;
  const modes = MODES.map(({ id: value, ...rest }) => ({ value, ...rest }));
  const configs = models.map(({ id: value, display_name: name, model: description }) => ({
    value,
    name,
    description,
  }));
  const efforts = ['default', ...EFFORTS].map((value) => ({ value, name: value }));
  return [
    select('mode', 'mode', 'Mode', modeId(settings), modes),
    ...(model === undefined ? [] : [select('model', 'model', 'Model', model, configs)]),
    select(
      'effort',
      'thought_level',
      'Reasoning effort',
      settings.reasoning_effort ?? 'default',
      efforts,
    ),
  ];
}

/** The change of a chat for a new value of an option. */
export function changeOf(option: string, value: unknown): ChatSettings {
  if (option === 'mode' && (value === 'default' || value === 'plan')) {
    return { plan_mode: value === 'plan' };
  }
  if (option === 'model' && typeof value === 'string') return { model_config_id: value };
  if (option === 'effort') {
    const effort = EFFORTS.find((one) => one === value);
    if (effort !== undefined || value === 'default') return { reasoning_effort: effort ?? null };
  }
  throw RequestError.invalidParams(
    { option, value },
    `Unknown value ${String(value)} of ${option}.`,
  );
}
