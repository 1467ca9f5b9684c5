/** Wrappers that name who said the rest: `[OpenAI] …`, `ValidationException: …`. */
const PREFIX =
  /^(?:\[[^\]]{1,40}\] |[a-z]+(?:exception|error)(?: - |: )|the model returned the following errors: |litellm\.)+/;

/** Quoted text with a space in it is a value of the request, not a name. */
const QUOTED = /(^|[\s([{:=,])(["'`])(.*?)\2(?=$|[\s)\]}.,;:!?])/gs;
const UNCLOSED = /([:=] ?)(["'`])[^"'`]*\s[^"'`]*$/;

/** The message of a provider as patterns see it: in lower case, without wrappers and without quoted input. */
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
