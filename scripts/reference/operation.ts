import type { Schema } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** An operation of the OpenAPI document. */
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

/** The required scope; undefined if no token is required. */
export const scopeOf = ({ description }: Operation): string | undefined =>
  SCOPE.exec(description)?.[1];

/** The description without the scope. */
export const explanationOf = ({ description }: Operation): string => description.replace(SCOPE, '');
