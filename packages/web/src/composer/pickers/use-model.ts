import type { Chat, ModelConfig, ReasoningEffort } from '@chatd/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../../api/client.ts';
import { isOwn } from '../../state/access.ts';
import { useCell } from '../../state/cell.ts';
import type { ComposerState, ModelChoice } from '../../state/composer-state.ts';
import { prefer, preferences } from '../preferences.ts';
import { effortFor } from './efforts.ts';

export interface ModelState {
  readonly configs: readonly ModelConfig[];
  /** The model of the next message. */
  readonly config: ModelConfig | undefined;
  readonly effort: ReasoningEffort | undefined;
  /** The fields to send with a message. */
  readonly choice: ModelChoice;
  readonly loading: boolean;
  readonly error: unknown;
  readonly chooseModel: (id: string) => void;
  readonly chooseEffort: (effort: ReasoningEffort) => void;
}

/** The model chosen here, else the chat's, else the project's, else the one chosen for the last new chat. */
export function useModel(
  composing: ComposerState,
  chat: Chat | undefined,
  projectModel?: string,
): ModelState {
  const { data, isPending, error } = useQuery({
    queryKey: ['model-configs'],
    queryFn: ({ signal }) => client.call('listModelConfigs', { signal }),
  });
  const chosen = useCell(composing.choice);
  const remembered = useCell(preferences);
  const configs = (data?.model_configs ?? []).filter(({ enabled }) => enabled);
  const find = (id: string | undefined) => configs.find((config) => config.id === id);
  const own =
    chat === undefined
      ? (find(projectModel) ?? find(remembered.modelConfigId))
      : find(chat.model_config_id);
  const config =
    find(chosen.modelConfigId) ?? own ?? configs.find(({ is_default }) => is_default) ?? configs[0];
  const wish = chosen.effort ?? (chat === undefined ? remembered.effort : chat.reasoning_effort);
  const effort = config === undefined ? undefined : effortFor(config, wish);
  // Only the owner chooses the model of a chat.
  const mayChoose = chat === undefined || isOwn(chat);
  const anotherModel = mayChoose && config !== undefined && config.id !== chat?.model_config_id;
  const asked = chat === undefined ? wish : chosen.effort;
  const anotherEffort =
    mayChoose && asked !== undefined && asked !== null && effort !== chat?.reasoning_effort;
  useForgetting(composing, chat);
  return {
    configs,
    config,
    effort,
    choice: {
      ...(anotherModel && { modelConfigId: config.id }),
      ...(anotherEffort && effort !== undefined && { effort }),
    },
    loading: isPending,
    error,
    chooseModel(id) {
      composing.choice.update((before) => ({ ...before, modelConfigId: id }));
      prefer({ modelConfigId: id });
    },
    chooseEffort(effort) {
      composing.choice.update((before) => ({ ...before, effort }));
      prefer({ effort });
    },
  };
}

/** Once the chat has the chosen model, the choice is cleared, so that later changes from elsewhere apply. */
function useForgetting({ choice }: ComposerState, chat: Chat | undefined): void {
  const model = chat?.model_config_id;
  const effort = chat?.reasoning_effort;
  useEffect(() => {
    choice.update((before) => ({
      modelConfigId: before.modelConfigId === model ? undefined : before.modelConfigId,
      effort: before.effort === effort ? undefined : before.effort,
    }));
  }, [choice, model, effort]);
}
