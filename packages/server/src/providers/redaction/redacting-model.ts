import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { PushModel } from '@chatd/loop';
import type { SecretValues } from '../../secrets/secret-values.ts';
import { redactedError } from './redacted-error.ts';

/**
 * Redacts secrets from the errors of a model: errors of the call and error parts of the stream. Providers repeat keys
 * in error messages, and packages attach whole responses to errors. Secrets split over several parts are not detected.
 */
export function redactingModel(model: PushModel, secrets: SecretValues): PushModel {
  const { provider, modelId } = model;
  return {
    provider,
    modelId,
    async push(options, sink) {
      try {
        await model.push(options, (part) => sink(redactedPart(part, secrets)));
      } catch (error) {
        throw redactedError(error, secrets);
      }
    },
  };
}

/**
 * Some gateways return their errors as text, with the key. Only whole secrets are redacted there: an answer must stay
 * exact, and a random id in it can contain eight characters of some secret.
 */
function redactedPart(
  part: LanguageModelV4StreamPart,
  secrets: SecretValues,
): LanguageModelV4StreamPart {
  if (part.type === 'error') return { ...part, error: redactedError(part.error, secrets) };
  if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return part;
  const delta = secrets.hide(part.delta);
  return delta === part.delta ? part : { ...part, delta };
}
