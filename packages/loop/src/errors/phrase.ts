/** Prefixes that name the origin: `[OpenAI] …`, `ValidationException: …`. */
const PREFIX =
  /^(?:\[[^\]]{1,40}\] |[a-z]+(?:exception|error)(?: - |: )|the model returned the following errors: |litellm\.)+/;

/** Quoted text with a space is a value of the request, not a name. */
const QUOTED = /(^|[\s([{:=,])(["'`])(.*?)\2(?=$|[\s)\]}.,;:!?])/gs;
const UNCLOSED = /([:=] ?)(["'`])[^"'`]*\s[^"'`]*$/;

/** A provider's message normalized for patterns: in lower case, without prefixes and quoted input. */
export function phraseOf(message: string): string {
  return message
    .slice(0, 2_000)
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(PREFIX, '')
    .replace(QUOTED, (all: string, before: string, quote: string, inner: string) =>
      /\s/.test(inner) ? `${before}${quote}…${quote}` : all,
    )
    .replace(UNCLOSED, '$1$2…');
}
