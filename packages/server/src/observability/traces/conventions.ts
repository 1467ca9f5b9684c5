/*
 * Attribute names of OpenTelemetry's semantic conventions 1.41, including GenAI. Those are in development, and their
 * package may drop names in any release, so the ones in use are defined here.
 */
export const OPERATION = 'gen_ai.operation.name';
export const PROVIDER = 'gen_ai.provider.name';
export const AGENT_NAME = 'gen_ai.agent.name';
export const CONVERSATION_ID = 'gen_ai.conversation.id';

export const REQUEST_MODEL = 'gen_ai.request.model';
export const REQUEST_MAX_TOKENS = 'gen_ai.request.max_tokens';
export const REQUEST_TEMPERATURE = 'gen_ai.request.temperature';
export const REQUEST_TOP_P = 'gen_ai.request.top_p';
export const REQUEST_TOP_K = 'gen_ai.request.top_k';
export const REQUEST_PRESENCE_PENALTY = 'gen_ai.request.presence_penalty';
export const REQUEST_FREQUENCY_PENALTY = 'gen_ai.request.frequency_penalty';

export const RESPONSE_MODEL = 'gen_ai.response.model';
export const RESPONSE_ID = 'gen_ai.response.id';
export const RESPONSE_FINISH_REASONS = 'gen_ai.response.finish_reasons';
export const RESPONSE_TIME_TO_FIRST_CHUNK = 'gen_ai.response.time_to_first_chunk';

/** The whole prompt, including cached tokens. */
export const INPUT_TOKENS = 'gen_ai.usage.input_tokens';
export const OUTPUT_TOKENS = 'gen_ai.usage.output_tokens';
export const CACHE_READ_TOKENS = 'gen_ai.usage.cache_read.input_tokens';
export const CACHE_CREATION_TOKENS = 'gen_ai.usage.cache_creation.input_tokens';
export const REASONING_TOKENS = 'gen_ai.usage.reasoning.output_tokens';

export const TOOL_NAME = 'gen_ai.tool.name';
export const TOOL_TYPE = 'gen_ai.tool.type';
export const TOOL_CALL_ID = 'gen_ai.tool.call.id';

export const SYSTEM_INSTRUCTIONS = 'gen_ai.system_instructions';
export const INPUT_MESSAGES = 'gen_ai.input.messages';
export const OUTPUT_MESSAGES = 'gen_ai.output.messages';
export const TOOL_CALL_ARGUMENTS = 'gen_ai.tool.call.arguments';
export const TOOL_CALL_RESULT = 'gen_ai.tool.call.result';

export const ERROR_TYPE = 'error.type';
export const SERVER_ADDRESS = 'server.address';
export const SERVER_PORT = 'server.port';
export const HTTP_METHOD = 'http.request.method';
export const HTTP_ROUTE = 'http.route';
export const HTTP_STATUS = 'http.response.status_code';
export const URL_PATH = 'url.path';
export const URL_SCHEME = 'url.scheme';

/* Attributes of chatd without a convention. */
export const REQUEST_ID = 'chatd.request.id';
export const MODEL_CONFIG_ID = 'chatd.model_config.id';
export const PURPOSE = 'chatd.call.purpose';
export const ATTEMPT = 'chatd.call.attempt';
/** Why chatd canceled a call that had not failed. */
export const STOPPED = 'chatd.call.stopped';
export const OUTCOME = 'chatd.turn.outcome';
export const MACHINE_OPERATION = 'chatd.machine.operation';
