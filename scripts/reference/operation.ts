import type { Schema } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** A call, as the OpenAPI document has it. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { description: string; content?: Content }>>;
}

const SCOPE = /\s*^Requires the scope `([\w` ]+)`\.$/m;

/** What a token needs for it; undefined: no token is needed. */
export const scopeOf = ({ description }: Operation): string | undefined =>
  SCOPE.exec(description)?.[1];

/** What there is to know of it, but for the scope. */
export const explanationOf = ({ description }: Operation): string => description.replace(SCOPE, '');
