import type { WireRequest } from '../dialect.ts';

const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The model is part of the path. */
export function modelOf({ path }: WireRequest): string {
  return PATH.exec(path)?.[1] ?? '';
}

export function methodOf({ path }: WireRequest): string | undefined {
  return PATH.exec(path)?.[2];
}

/**
 * Gemini 3 and later: function calls of the current turn must be sent back with their signatures, and results can
 * contain files.
 */
export function isGemini3(model: string): boolean {
  const [, major] = /^gemini-(\d+)/.exec(model) ?? [];
  return Number(major ?? 0) >= 3;
}
