/** What a recording says, worked out from its own lines and nothing else. */
export interface Said {
  text: string;
  reasoning: string;
  calls: { name: string; args: unknown; byProvider: boolean }[];
  sources: string[];
  usage: { prompt: number; output: number };
  /** The recording is of a failure of this kind. */
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
/** The address of a page without the parameter that OpenAI adds to the pages it cites. */
export const pageOf = (url: unknown): string => str(url).replace('?utm_source=openai', '');
