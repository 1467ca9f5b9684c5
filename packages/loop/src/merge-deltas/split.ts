/** An event with one delta of a text: `body`, still escaped, between `head` and `tail`. */
export interface Split {
  head: string;
  body: string;
  tail: string;
  /** Two events with the same key are deltas of the same text and differ in nothing that is read. */
  key: string;
}

/** Undefined for all other events and when in doubt. */
export type Splitter = (event: string) => Split | undefined;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The end of the JSON string that starts at `from`, without its opening quote. */
function closingQuote(event: string, from: number): number {
  for (let at = event.indexOf('"', from); at !== -1; at = event.indexOf('"', at + 1)) {
    let escapes = 0;
    while (event.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}

function cut(event: string, bodyStart: number): Omit<Split, 'key'> | undefined {
  if (event.charCodeAt(bodyStart - 1) !== QUOTE) return undefined;
  const end = closingQuote(event, bodyStart);
  if (end === -1) return undefined;
  return {
    head: event.slice(0, bodyStart),
    body: event.slice(bodyStart, end),
    tail: event.slice(end),
  };
}

const ANTHROPIC =
  /"delta":\{"type":"(?:text_delta","text|thinking_delta","thinking|input_json_delta","partial_json)":"/;
const ANTHROPIC_TAIL = /^"\s*\}\s*\}\s*$/;

const splitAnthropic: Splitter = (event) => {
  if (!event.includes('{"type":"content_block_delta"')) return undefined;
  const marker = ANTHROPIC.exec(event);
  const parts = marker && cut(event, marker.index + marker[0].length);
  if (!parts || !ANTHROPIC_TAIL.test(parts.tail)) return undefined;
  return { ...parts, key: parts.head };
};

const RESPONSES =
  /\{"type":"response\.(?:output_text|reasoning_summary_text|reasoning_text|function_call_arguments|custom_tool_call_input)\.delta"/;
const DELTA = '"delta":"';
/** Counters and padding, which no reader uses. */
const NOISE = /"(?:sequence_number|created)":\d+|"obfuscation":"[^"\\]*"/g;

const splitResponses: Splitter = (event) => {
  const marker = RESPONSES.test(event) ? event.indexOf(DELTA) : -1;
  const parts = marker === -1 ? undefined : cut(event, marker + DELTA.length);
  if (!parts || parts.tail.includes('"logprobs":[{')) return undefined;
  return { ...parts, key: `${parts.head}\n${parts.tail}`.replace(NOISE, '') };
};

/** Each with what must follow: the delta contains nothing else, or other text would be lost. */
const CHAT = [
  [
    /"delta":\{(?:"role":"assistant",)?(?:"content":null,)?"(?:content|reasoning_content|reasoning)":"/,
    /^"(?:,"reasoning_content":null)?\}[,}]/,
  ],
  [/"delta":\{"tool_calls":\[\{"index":\d+,"function":\{"arguments":"/, /^"\}\}\]\}[,}]/],
] as const;
/** An end, or a second choice. */
const CHAT_MORE = /"finish_reason":\s*"|"usage":\s*\{|"logprobs":\s*\{|"delta"/;

const splitChat: Splitter = (event) => {
  for (const [before, after] of CHAT) {
    const marker = before.exec(event);
    if (marker === null) continue;
    const parts = cut(event, marker.index + marker[0].length);
    if (!parts || !after.test(parts.tail) || CHAT_MORE.test(parts.tail)) return undefined;
    return { ...parts, key: `${parts.head}\n${parts.tail}`.replace(NOISE, '') };
  }
  return undefined;
};

const GOOGLE =
  /\{\s*"candidates":\s*\[\s*\{\s*"content":\s*\{\s*"parts":\s*\[\s*\{\s*(?:"thought":\s*true,\s*)?"text":\s*"/;
const GOOGLE_TAIL = /^"(?:,\s*"thought":\s*true)?\s*\}\s*\]/;

/** An end, something to keep, or a second candidate. */
const GOOGLE_MORE =
  /"parts"|finishReason|Signature|[gG]rounding|safetyRatings|citation|blockReason/;

const splitGoogle: Splitter = (event) => {
  const marker = GOOGLE.exec(event);
  const parts = marker && cut(event, marker.index + marker[0].length);
  if (!parts || !GOOGLE_TAIL.test(parts.tail)) return undefined;
  if (GOOGLE_MORE.test(parts.tail)) return undefined;
  // Token counts grow from event to event, and the last one counts.
  return { ...parts, key: `${parts.head}\n${parts.tail.replace(/\d+/g, '')}` };
};

export const SPLITTERS: readonly Splitter[] = [
  splitAnthropic,
  splitResponses,
  splitChat,
  splitGoogle,
];
