import type { TemplateDefinition } from '@chatd/protocol';

export interface TemplateRow {
  readonly id: string;
  readonly name: string;
  readonly definition: TemplateDefinition;
  readonly created_at: Date;
}
