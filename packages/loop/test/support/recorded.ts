/** The content of a recording, derived from its lines alone. */
export interface Said {
  text: string;
  reasoning: string;
  calls: { name: string; args: unknown; byProvider: boolean }[];
  sources: string[];
  usage: { prompt: number; output: number };
  /** The kind of error, if the recording is of a failure. */
  failure?: string;
}

export type Event = Record<string, unknown>;

export const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce(
    (inner: unknown, key) => (inner as Record<string | number, unknown> | null | undefined)?.[key],
    value,
  );
export const str = (value: unknown): string => (typeof value === 'string' ? value : '');
export const num = (value: unknown): number => (typeof value === 'number' ? value : 0);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const json = (text: string): unknown => (text.trim() === '' ? {} : JSON.parse(text));
/** The URL of a page without the parameter that OpenAI adds to cited pages. */
export const pageOf = (url: unknown): string => str(url).replace('?utm_source=openai', '');
