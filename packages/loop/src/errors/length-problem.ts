/** Whether the input is too long, which a summary fixes, or `max_output_tokens`, which only an admin can lower. */
export type LengthProblem = 'input' | 'output';

interface Sizes {
  readonly limit: number;
  readonly input: number;
}

/** Messages about input and output together. `total` is the sum of `input` and `output`. */
const COUNTED: readonly RegExp[] = [
  // Anthropic
  /input length and `?max_tokens`? exceed context limit: (?<input>\d+) \+ \d+ > (?<limit>\d+)/,
  // OpenAI, DeepSeek, vLLM, OpenRouter
  /maximum context length is (?<limit>\d+) tokens\. however, you requested (?:about )?(?<total>\d+) tokens \(.{0,160}?(?<output>\d+) in the (?:completion|output)\)/,
  // vLLM
  /is too large: \d+\. this model's maximum context length is (?<limit>\d+) tokens and your request has (?<input>\d+) input tokens/,
  /maximum context length is (?<limit>\d+) tokens\. however, your request has (?<input>\d+) input tokens plus \d+/,
  /maximum context length is (?<limit>\d+) tokens\. however, you requested \d+ output tokens and your prompt contains (?:at least )?(?<input>\d+) input tokens/,
  // SGLang
  /maximum context length of (?<limit>\d+) tokens\. you requested a total of \d+ tokens: (?<input>\d+) tokens from the input messages/,
  // Text Generation Inference
  /`?max_new_tokens`? must be <= (?<limit>\d+)\. given: (?<input>\d+) `?inputs`? tokens/,
];

const OUTPUT: readonly RegExp[] = [
  // Anthropic
  /^max_tokens: \d+ > \d+, which is the maximum allowed/,
  /^`?max_tokens`? must be greater than `?thinking\.budget_tokens/,
  // OpenAI, Azure
  /^'?(?:max_tokens|max_completion_tokens|max_output_tokens)'?(?: or 'max_completion_tokens')? is too large/,
  // Groq
  /^`?max_(?:completion_)?tokens`? must be less than or equal to/,
  // Google
  /^unable to submit request because it has a maxoutputtokens value of/,
  // Bedrock
  /^the maximum tokens you requested exceeds the model limit/,
  // DeepSeek, DashScope
  /^invalid max_tokens value/,
  /\brange of max_(?:completion_)?tokens should be \[/,
];

const INPUT: readonly RegExp[] = [
  // Anthropic
  /^prompt is too long/,
  // OpenAI, Groq
  /^your input exceeds the context window/,
  /^please reduce the length of the messages/,
  /^request too large for \S+ (?:in organization \S+ |service tier \S+ )*on tokens per min/,
  /^request too large for model/,
  // Google
  /^the input token count .{0,24}exceeds the maximum number of tokens allowed/,
  // Bedrock
  /^input is too long for requested model/,
  // Not "too many tokens, please wait": that is a rate limit.
  /^too many (?:input tokens|tokens:)/,
  /^input tokens exceeded/,
  // OpenAI, Azure, DeepSeek, vLLM, Mistral, xAI, SGLang
  /^this (?:model|endpoint)'s maximum (?:context|prompt) length is \d/,
  /too large for model with \d+ maximum context length/,
  /^the input \(\d+ tokens\) is longer than the model's context length/,
  /exceeds the model's maximum context length/,
  // vLLM, whose max_tokens defaults to what the input leaves
  /^max_tokens must be at least 1, got -\d/,
  // llama.cpp, llama-cpp-python, LM Studio, Ollama
  /^(?:the )?request (?:\(\d+ tokens\) )?exceeds the available context size/,
  /^requested tokens \(\d+\) exceed context window/,
  /^trying to keep the first \d+ tokens when context the overflows/,
  /^context size has been exceeded/,
  /^(?:the )?(?:input|prompt)(?: length)? exceeds (?:the )?(?:max(?:imum)?|model's) (?:context )?length/,
  // GitHub Models, Moonshot, MiniMax
  /^request body too large for \S+ model/,
  /^your request exceeded model token limit/,
  /^(?:invalid params, )?context window exceeds limit/,
];

/** From a normalized message. */
export function lengthProblemOf(phrase: string): LengthProblem | undefined {
  for (const pattern of COUNTED) {
    const sizes = sizesOf(pattern.exec(phrase)?.groups);
    // A summary helps only if most of the context is input.
    if (sizes !== undefined) return sizes.input > sizes.limit / 2 ? 'input' : 'output';
  }
  if (OUTPUT.some((pattern) => pattern.test(phrase))) return 'output';
  return INPUT.some((pattern) => pattern.test(phrase)) ? 'input' : undefined;
}

function sizesOf(groups: Record<string, string> | undefined): Sizes | undefined {
  if (groups === undefined) return undefined;
  const { limit, input, total, output } = groups;
  const inputTokens = input === undefined ? Number(total) - Number(output) : Number(input);
  return { limit: Number(limit), input: inputTokens };
}
