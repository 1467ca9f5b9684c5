/** Shorter runs cost few tokens, and may be keys or identifiers that the model needs. */
const SHORTEST = 2048;

/** JSON encoders may escape the slash. */
const RUN = new RegExp(String.raw`(?:[A-Za-z0-9+/_-]|\\/){${SHORTEST},}={0,2}`, 'g');

/** Replaces long runs of base64 with a note: they cost many tokens and tell a model nothing. */
export const omitBase64 = (text: string): string =>
  text.length < SHORTEST ? text : text.replace(RUN, (run) => (isBase64(run) ? noteFor(run) : run));

/** Long words, rulers and hexadecimal numbers lack one of the three character classes. */
const isBase64 = (run: string): boolean =>
  /[A-Z]/.test(run) && /[a-z]/.test(run) && /[0-9]/.test(run);

const noteFor = (run: string): string => `[${run.length} characters of base64 omitted]`;
