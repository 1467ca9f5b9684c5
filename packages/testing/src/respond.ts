import type { CapturedRequest } from './capture.ts';
import type { Dialect } from './dialect.ts';
import type { Ids } from './ids.ts';
import type { Issued } from './issued.ts';
import type { Refusal } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { Script } from './script.ts';
import { planReply, refusalReply } from './reply.ts';

/** A rejected request with the reason. */
export interface Rejected extends Refusal {
  request: CapturedRequest;
}

/** A reason to reject that a test set. */
export interface CustomRule {
  matches: (request: CapturedRequest) => boolean;
  refusal: Refusal;
}

/** The state of a fake provider. */
export interface ProviderState {
  dialect: Dialect;
  script: Script;
  issued: Issued;
  ids: Ids;
  key: string | undefined;
  strict: boolean;
  rejected: Rejected[];
  customRules: readonly CustomRule[];
}

/** Status for a mistake in the test. Clients do not repeat such a request, so the test fails at once. */
const MISTAKE = 400;

/** Decides the reply to a request. */
export async function respond(request: CapturedRequest, state: ProviderState): Promise<Reply> {
  const { dialect, script, ids, rejected } = state;
  const refuse = (refusal: Refusal): Reply => {
    rejected.push({ ...refusal, request });
    return refusalReply(refusal, dialect);
  };
  const refusal = inspect(request, state);
  if (refusal) return refuse(refusal);
  try {
    const scripted = await script.next(request);
    if (!scripted) return refuse(unscripted(request));
    return planReply(scripted, dialect, { request, ids, created: Math.floor(request.at / 1000) });
  } catch (error) {
    return refuse({
      status: MISTAKE,
      message: `The fake provider's script is broken: ${String(error)}`,
    });
  }
}

function inspect(request: CapturedRequest, state: ProviderState): Refusal | undefined {
  const { dialect, issued, key, strict, customRules } = state;
  const { method, path } = request;
  if (!dialect.serves(request)) {
    return { status: 404, message: `Not found: ${method} ${path} is not part of ${dialect.api}` };
  }
  return (
    dialect.authorize(request, key) ??
    (strict ? dialect.validate(request, issued) : undefined) ??
    customRules.find(({ matches }) => matches(request))?.refusal
  );
}

function unscripted({ index, method, path, body }: CapturedRequest): Refusal {
  const { messages, input, contents, prompt } = body;
  const shown = JSON.stringify(messages ?? input ?? contents ?? prompt ?? body);
  return {
    status: MISTAKE,
    message:
      `The fake provider has no answer left for request ${index} (${method} ${path}). ` +
      `Queue one with provider.answer(…). The request ends with: ${shown.slice(-300)}`,
  };
}
