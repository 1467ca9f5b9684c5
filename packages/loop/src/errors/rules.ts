import type { ErrorKind } from '@chatd/protocol';

/** Why a call failed, in more detail than the kind that users see. */
type Cause =
  | 'missing_key'
  | 'output_limit'
  | 'context_length'
  | 'overloaded'
  | 'usage_limit'
  | 'auth'
  | 'rate_limit'
  | 'timeout'
  | 'stale_item'
  | 'unknown_model'
  | 'content_filter'
  | 'bad_request'
  | 'generic';

export interface Rule {
  readonly cause: Cause;
  readonly kind: ErrorKind;
  readonly retryable: boolean;
  /** Codes of the provider. Conclusive. */
  readonly codes?: readonly string[];
  /** Codes of local errors. Conclusive unless the provider responded. */
  readonly localCodes?: readonly string[];
  /** Phrases of providers, searched in responses with these statuses and in errors without one. */
  readonly says?: { readonly pattern: RegExp; readonly at: readonly number[] };
  /** Codes and messages of local errors, used unless the provider responded. */
  readonly localSays?: RegExp;
  readonly statuses?: readonly number[];
  /** Codes that are no more specific than a status. */
  readonly generalCodes?: readonly string[];
}

/** In order of precedence. */
export const RULES: readonly Rule[] = [
  {
    cause: 'missing_key',
    kind: 'missing_key',
    retryable: false,
    localCodes: ['ai_loadapikeyerror'],
  },
  {
    cause: 'overloaded',
    kind: 'overloaded',
    retryable: true,
    codes: ['overloaded_error', 'overloaded', 'engine_overloaded', 'engine_overloaded_error'],
    says: { pattern: /\boverloaded\b/, at: [429, 500, 502, 503, 504] },
    statuses: [529],
  },
  {
    cause: 'usage_limit',
    kind: 'usage_limit',
    retryable: false,
    codes: [
      'insufficient_quota',
      'insufficient_credits',
      'insufficient_funds',
      'insufficient_balance',
      'billing_error',
      'billing_hard_limit_reached',
      'billing_not_active',
      'payment_required',
      'exceeded_current_quota_error',
      'servicequotaexceededexception',
    ],
    says: {
      pattern:
        /^your credit balance is too low|^insufficient (?:account )?(?:balance|credits?|funds)\b|^you have reached your specified (?:\w+ )?api usage limits|^this request requires more credits|^ai gateway requires a valid credit card|^billing hard limit has been reached/,
      at: [400, 403, 429, 500],
    },
    statuses: [402],
  },
  {
    cause: 'usage_limit',
    kind: 'usage_limit',
    retryable: false,
    // Not with 429: per-minute limits use the same words.
    says: {
      pattern: /^you exceeded your current quota|\bcheck your plan and billing details/,
      at: [400, 403],
    },
  },
  {
    cause: 'auth',
    kind: 'auth',
    retryable: false,
    codes: [
      'authentication_error',
      'invalid_authentication_error',
      'authenticationerror',
      'invalid_api_key',
      'api_key_invalid',
      'unauthenticated',
      'permission_error',
      'permission_denied',
      'accessdeniedexception',
      'unrecognizedclientexception',
      'invalidsignatureexception',
      'expiredtokenexception',
    ],
    says: {
      pattern:
        /^api key (?:not valid|expired)|^incorrect api key provided|^invalid (?:x-)?api[- _]key/,
      at: [400],
    },
    statuses: [401, 403],
  },
  {
    cause: 'rate_limit',
    kind: 'rate_limit',
    retryable: true,
    codes: [
      'rate_limit',
      'rate_limit_error',
      'rate_limit_exceeded',
      'ratelimitexceeded',
      'ratelimiterror',
      'resource_exhausted',
      'throttlingexception',
      'too_many_requests',
      'toomanyrequestsexception',
    ],
    says: {
      pattern:
        /^rate limit|\brate limit (?:reached|exceeded)\b|^too many requests|^resource (?:has been )?exhausted/,
      at: [],
    },
    statuses: [429],
  },
  {
    cause: 'timeout',
    kind: 'timeout',
    retryable: true,
    codes: ['timeout_error', 'deadline_exceeded', 'modeltimeoutexception'],
    localCodes: [
      'earlyend',
      'ai_jsonparseerror',
      'ai_emptyresponsebodyerror',
      'ai_invalidresponsedataerror',
    ],
    says: {
      pattern:
        /^(?:the )?(?:(?:request|stream|upstream|operation|connection) )?(?:timed out|timeout)\b|^connection (?:error|reset|closed)\b|^upstream connect error|^network error/,
      at: [],
    },
    localSays:
      /econnreset|econnrefused|econnaborted|etimedout|enotfound|eai_again|epipe|und_err|socket hang up|other side closed|fetch failed|cannot connect to api|terminated|premature close|early eof|unexpected eof|unexpected end|goaway|network error|connection (?:error|reset|closed)|timed? ?out|event-stream frame|checksum/,
    statuses: [408, 502, 503, 504],
    generalCodes: ['serviceunavailableexception', 'serviceunavailableerror'],
  },
  {
    // The provider does not know, or can no longer read, an item that the request refers to.
    cause: 'stale_item',
    kind: 'config',
    retryable: false,
    codes: ['previous_response_not_found', 'invalid_encrypted_content'],
    says: {
      pattern:
        /^previous response with id \S{1,120} not found|^item with id \S{1,120} not found|^the encrypted content .{0,120}could not be|\binvalid `?(?:signature|encrypted_content|data)`? in `?\w+`? block|^corrupted thought signature/,
      at: [400, 404, 422, 500],
    },
  },
  {
    cause: 'unknown_model',
    kind: 'config',
    retryable: false,
    codes: [
      'model_not_found',
      'model_not_available',
      'model_decommissioned',
      'deploymentnotfound',
      'resourcenotfoundexception',
    ],
    localCodes: ['ai_nosuchmodelerror'],
    says: {
      pattern:
        /^model: \S+|^the model \S+ (?:does not exist|was not found|has been (?:deprecated|decommissioned))|^models\/\S+ is not found|^publisher model \S+ (?:was )?not found|^the api deployment for this resource does not exist|^the provided model identifier is invalid|^invocation of model id \S+ with on-demand throughput|^no endpoints found for|^\S+ is not a valid model id|^model (?:\S+ (?:was )?not found|not exist)|^(?:invalid|unknown) model\b/,
      at: [400, 404, 422],
    },
  },
  {
    cause: 'content_filter',
    kind: 'content_filter',
    retryable: false,
    codes: [
      'content_filter',
      'content_policy_violation',
      'contentpolicyviolationerror',
      'responsibleaipolicyviolation',
      'prohibited_content',
      'data_inspection_failed',
    ],
    says: {
      pattern:
        /content management policy|\bcontent filtering policy|\byour (?:input|prompt|request|message) was flagged (?:as|for)\b|\bviolat\w+ (?:our|the) (?:usage|content) polic|^your request was rejected as a result of our safety system|responsible ai practices|^content exists risk|\bmay contain inappropriate content/,
      at: [400, 403, 422],
    },
  },
  {
    cause: 'bad_request',
    kind: 'config',
    retryable: false,
    localCodes: ['ai_unsupportedfunctionalityerror', 'ai_invalidprompterror'],
    statuses: [400, 404, 405, 413, 415, 422],
    generalCodes: [
      'invalid_request_error',
      'invalid_request',
      'invalid_argument',
      'invalid_prompt',
      'failed_precondition',
      'bad_request',
      'badrequest',
      'badrequesterror',
      'validationexception',
      'unprocessable_entity',
      'unprocessableentityerror',
    ],
  },
];
