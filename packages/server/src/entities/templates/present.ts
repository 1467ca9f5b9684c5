import { networkMode, type Template } from '@chatd/protocol';
import type { KnownTemplate } from '../../workspaces/templates.ts';

/** The environment may hold what only admins should see. */
export function presentTemplate(template: KnownTemplate, forAdmin: boolean): Template {
  const { env, network, ...definition } = template.definition;
  return {
    id: template.id,
    name: template.name,
    ...definition,
    ...(network !== undefined && { network: networkMode(network) }),
    ...(forAdmin && env !== undefined && { env }),
    from_file: template.from_file,
    ...(template.created_at !== undefined && { created_at: template.created_at.toISOString() }),
  };
}
